/** A marked token must appear nowhere but in the requests to its host. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { dialects } from "./dialects";
import type { Fault } from "./fakeHost";
import { listOnly, never, withFake } from "./openFake";

const token = "Canary/Token+7f3a=%&x";
const forms = [
  token,
  encodeURIComponent(token),
  ...["", "octocat", "git", "oauth2", "x-access-token"].flatMap((user) => {
    const base64 = Buffer.from(`${user}:${token}`).toString("base64");
    return [base64, base64.replace(/=+$/, ""), encodeURIComponent(base64)];
  }),
];

function assertNoToken(value: unknown): void {
  const options = { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null };
  const texts = [inspect(value, options), JSON.stringify(value) ?? "", String(value)];
  if (value instanceof Error) texts.push(value.stack ?? "", value.message);
  for (const text of texts) {
    const folded = text.toLowerCase();
    for (const form of forms)
      assert.ok(!folded.includes(form.toLowerCase()), `${form} is in ${text.slice(0, 500)}`);
  }
}

/** Hosts that echo what they received, in each form. */
const echoes: readonly Fault[] = forms.flatMap((form) => [
  { kind: "answer", status: 403, body: JSON.stringify({ message: `No rights: ${form}` }) },
  { kind: "answer", status: 500, body: JSON.stringify({ error: { message: `${"x".repeat(190)}${form}` } }) },
  { kind: "answer", status: 302, headers: { location: `/login?token=${encodeURIComponent(form)}` } },
]);

for (const dialect of dialects) {
  test(`${dialect.type}: the token is in no problem, error or object`, async () => {
    await withFake(dialect, { token }, async (fake, host) => {
      assertNoToken(host);
      const listing = await listOnly(host);
      assert.equal(listing.outcome, "complete");
      const [repository] = listing.repositories;
      assert.ok(repository);
      for (const value of [listing, await host.identify(never), await host.lookUp(repository, never)]) {
        assertNoToken(value);
      }
      const credentials = await host.gitCredentials();
      assertNoToken(credentials);
      assert.equal(credentials?.password.reveal(), token);
      for (const fault of echoes) {
        fake.faults.splice(0, 1, fault);
        const failed = await listOnly(host);
        assert.equal(failed.outcome, "failed");
        assertNoToken(failed);
        assertNoToken(await host.identify(never));
      }
      for (const fault of [{ kind: "cut" }, { kind: "oddItem" }] as const) {
        fake.faults.splice(0, 1, fault);
        assertNoToken(await listOnly(host));
      }
      assertNoToken(host);
    });
    await withFake(dialect, { token: "other", givenToken: token }, async (_, host) => {
      const refused = await listOnly(host);
      assert.match(refused.problems[0]?.message ?? "", /Bad credentials .*\[secret\]/);
      assertNoToken(refused);
      assertNoToken(await host.identify(never));
    });
  });
}
