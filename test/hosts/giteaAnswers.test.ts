/** The fake Gitea answers as a real one does, from which `giteaAnswers.json` was recorded. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "#test/support/house";
import { dialectOf } from "./dialects";
import { FakeHost } from "./fakeHost";

interface RecordedAnswer {
  readonly path: string;
  readonly isSignedIn: boolean;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const file = join(projectRoot(), "test/fixtures/giteaAnswers.json");
const { answers }: { readonly answers: readonly RecordedAnswer[] } = JSON.parse(readFileSync(file, "utf8"));
const ids = { ORG: "7", ONE: "8", HIDDEN: "10", NONE: "99999" };

test("the fake answers with the recorded statuses, headers and types of fields", async (t) => {
  const moved = { id: 9, path: "acme/renamed" };
  const dialect = dialectOf("gitea");
  const fake = await new FakeHost(dialect, [{ id: 8, path: "acme/repo-0001" }, moved]).start();
  t.after(() => fake.close());
  fake.token = "right";
  fake.renamed.set("acme/repo-0002", moved);
  assert.ok(answers.length > 20);
  for (const { path, isSignedIn, status, headers = {}, body } of answers) {
    const url = path.replace(/\b(?:ORG|ONE|HIDDEN|NONE)\b/, (name) => ids[name as keyof typeof ids]);
    const what = `${url}${isSignedIn ? " with a token" : ""}`;
    const response = await fetch(`${fake.url}/api/v1${url}`, {
      redirect: "manual",
      headers: isSignedIn ? { authorization: dialect.authorization("right") } : {},
    });
    assert.equal(response.status, status, what);
    for (const name of ["x-total-count", "location"])
      assert.equal(response.headers.get(name), headers[name] ?? null, `${name} of ${what}`);
    const hasNext = (link: string | null | undefined) => /rel="next"/.test(link ?? "");
    assert.equal(hasNext(response.headers.get("link")), hasNext(headers["link"]), what);
    if (status === 200) assertSameTypes(await response.json(), body, what);
  }
});

/** Fields of the fake that were recorded must have the recorded type. */
function assertSameTypes(value: unknown, recorded: unknown, what: string): void {
  assert.equal(Array.isArray(value), Array.isArray(recorded), what);
  assert.equal(typeof value, typeof recorded, what);
  if (typeof value !== "object" || value === null || typeof recorded !== "object" || recorded === null)
    return;
  if (Array.isArray(value)) assert.equal(value.length, (recorded as unknown[]).length, what);
  for (const [key, expected] of Object.entries(recorded)) {
    const given: unknown = (value as Record<string, unknown>)[key];
    if (given !== undefined) assertSameTypes(given, expected, `${key} of ${what}`);
  }
}
