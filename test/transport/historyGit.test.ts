/** Failures of git: HTTP and LSP return the same error object, for every operation that runs git. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { ErrorObject } from "#contract/error";
import type { OperationName } from "#contract/operations";
import { History } from "#service/history/history";
import { openBothWays } from "#test/support/bothWays";
import { eventually } from "#test/support/eventually";
import { hostileHistory } from "#test/support/history";
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

/** Script that replaces git, time limit in milliseconds, error code and message. */
const failures: readonly (readonly [string, number, ErrorObject["errorCode"], RegExp])[] = [
  [
    "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1\nreal",
    30_000,
    "REPOSITORY_NOT_TRUSTED",
    /To allow it, run: git config --global --add safe\.directory/,
  ],
  // The time limits of the request and of git are equal, and either may expire first.
  [
    "exec sleep 60",
    300,
    "TIMED_OUT",
    /^(?:git [\w-]+ took longer than 0\.3 s and was stopped|The request took longer than 0\.3 s)\.$/,
  ],
];

for (const [script, gitTimeLimitMs, errorCode, message] of failures) {
  for (const [name, request] of rows) {
    test(`${name} ${JSON.stringify(request)}: ${errorCode}`, async () => {
      replaceGit(script);
      const history = new History({ repositories, gitTimeLimitMs });
      const ways = await openBothWays(callerOf({ repositories, history }));
      try {
        const { status, body } = await ways.overHttp(name, request);
        const errors = [body, await ways.overLsp(name, request)] as ErrorObject[];
        for (const error of errors) {
          assert.deepEqual([error.errorCode, error.statusCode], [errorCode, status], error.message);
          assert.match(error.message, message);
        }
      } finally {
        history.close();
        await ways.close();
      }
      await eventually(() => calls().every(({ pid }) => !isAlive(pid)));
    });
  }
}

test("requests over the limit are refused with the same error over HTTP and LSP", async () => {
  replaceGit("exec sleep 60");
  const history = new History({ repositories, gitTimeLimitMs: 2000 });
  const ways = await openBothWays(callerOf({ repositories, history }, { maxRunning: 1, maxWaiting: 1 }));
  const [name, request] = ["commits", { repo: "past" }] as const;
  const waiting = [ways.overHttp(name, request), ways.overLsp(name, request)];
  await eventually(() => calls().length > 0);
  await eventually(async () => (await ways.overHttp(name, request)).status === 503);
  try {
    const { body } = await ways.overHttp(name, request);
    const { requestId: _, ...error } = body as ErrorObject;
    assert.equal(error.errorCode, "OVERLOADED");
    assert.deepEqual(await ways.overLsp(name, request), error);
    await Promise.all(waiting);
  } finally {
    history.close();
    await ways.close();
  }
});
