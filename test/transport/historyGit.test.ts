/** What git does not answer: over HTTP and over LSP the same object, for every row that asks it. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { ErrorObject } from "#contract/error";
import type { OperationName } from "#contract/operations";
import { History } from "#service/history";
import { openBothWays } from "#test/support/bothWays";
import { hostileHistory } from "#test/support/history";
import { until } from "#test/support/served";
import { callerOf, repository, viewOf } from "#test/support/service";
import { calls, isAlive, replaceGit, restoreGit } from "#test/support/watchedGit";

afterEach(restoreGit);

const bare = hostileHistory({ bare: true });
const repositories = viewOf([repository(1, "past", { path: bare.path, kind: "bare" })]);

const rows: readonly (readonly [OperationName, Record<string, unknown>])[] = [
  ["tree", { repoName: "past" }],
  ["source", { repo: "past", path: "README.md" }],
  ["branches", { repo: "past" }],
  ["blame", { repo: "past", path: "README.md" }],
  ["commits", { repo: "past" }],
  ["commits", { repo: "past", query: "verse", notIn: "v0.1" }],
  ["commit", { repo: "past", ref: "main" }],
  ["authors", { repo: "past" }],
  ["diff", { repo: "past", base: "v0.1", head: "main" }],
];

/** What git does, how long it may, and what is said of it. */
const failures: readonly (readonly [string, number, ErrorObject["errorCode"], RegExp])[] = [
  [
    "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1\nreal",
    30_000,
    "REPOSITORY_NOT_TRUSTED",
    /To allow it: git config --global --add safe\.directory/,
  ],
  ["exec sleep 60", 300, "TIMED_OUT", /^git [\w-]+ took longer than 0\.3 s and was ended\.$/],
];

for (const [script, gitTimeLimitMs, errorCode, message] of failures) {
  for (const [name, request] of rows) {
    test(`${name} ${JSON.stringify(request)}: ${errorCode}`, async () => {
      replaceGit(script);
      const history = new History({ repositories, gitTimeLimitMs });
      const ways = await openBothWays(callerOf({ repositories, history }));
      const { status, body } = await ways.overHttp(name, request);
      const error = body as ErrorObject;
      assert.deepEqual([error.errorCode, status], [errorCode, error.statusCode], error.message);
      assert.match(error.message, message);
      assert.deepEqual(await ways.overLsp(name, request), error);
      history.close();
      await ways.close();
      await until("nothing is left", () => calls().every(({ pid }) => !isAlive(pid)));
    });
  }
}

test("more calls than can wait are refused, each the same way", async () => {
  replaceGit("exec sleep 60");
  const history = new History({ repositories, gitTimeLimitMs: 2000 });
  const ways = await openBothWays(callerOf({ repositories, history }, { maxRunning: 1, maxWaiting: 1 }));
  const [name, request] = ["commits", { repo: "past" }] as const;
  const waiting = [ways.overHttp(name, request), ways.overLsp(name, request)];
  await until("one runs", () => calls().length > 0);
  await until("the other waits", async () => (await ways.overHttp(name, request)).status === 503);
  const { body } = await ways.overHttp(name, request);
  assert.equal((body as ErrorObject).errorCode, "OVERLOADED");
  assert.deepEqual(await ways.overLsp(name, request), body);
  await Promise.all(waiting);
  history.close();
  await ways.close();
});
