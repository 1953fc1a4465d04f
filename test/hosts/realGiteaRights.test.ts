/** What members see of a real Gitea that decides it. Runs if `GITEA_BIN` names its program, or if it is on the PATH. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { SearchResult } from "#contract/search";
import { basicAuthorization } from "#hosts/fields";
import { eventuallyEqual } from "#test/support/eventually";
import { type Gitea, giteaObstacle, startGitea } from "#test/support/gitea";
import { temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const obstacle = giteaObstacle();
const people = ["ann", "bob"];
const soonMs = 30_000;

async function populate({ call, run }: Gitea): Promise<string> {
  for (const name of people)
    run(
      ...`admin user create --username ${name} --password Pa55word! --email ${name}@example.com`.split(" "),
      "--must-change-password=false",
    );
  await call("POST", "/orgs", { username: "team" });
  for (const name of ["open", "secret", "other"])
    await call("POST", "/orgs/team/repos", { name, private: name !== "open", auto_init: true });
  await call("PUT", "/repos/team/secret/collaborators/ann", { permission: "read" });
  const scopes = "read:repository,read:organization,read:user";
  return run(
    ..."admin user generate-access-token --token-name trawl --raw --username admin1".split(" "),
    ...["--scopes", scopes],
  ).trim();
}

/** Starts Trawl for the members Ann and Bob, whose names on the host the configuration states. */
async function startTrawl(t: TestContext, { origin }: Gitea, token: string) {
  const folder = temporaryFolder();
  const file = join(folder, "trawl.json");
  const logins = Object.fromEntries(people.map((name) => [`${name}@example.com`, name]));
  const main = {
    type: "gitea",
    url: origin,
    allowHttp: true,
    token: { env: "TOKEN" },
    include: { orgs: ["team"] },
    access: { visibleTo: "codeHost", logins },
  };
  writeFileSync(file, JSON.stringify({ connections: { main }, anonymous: true }), { mode: 0o600 });
  const dataDir = join(folder, "data");
  const flags = ["--config", file];
  const options = { env: { TOKEN: token } };
  const start = () => serve(dataDir, [], { flags, ...options });
  let served: Served = await start();
  t.after(() => served.stop());
  const run = (...args: readonly string[]) =>
    trawl([...args, "--data-dir", dataDir, ...flags], undefined, options);
  const keys = new Map<string, string>();
  for (const name of people) {
    await run("members", "add", `${name}@example.com`);
    keys.set(name, (await run("keys", "create", name, "--member", `${name}@example.com`)).stdout.trim());
  }
  /** What a person finds, and why there may be more. */
  const search = async (name: string) => {
    const response = await fetch(`${served.url}/api/search`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(keys.has(name) ? { authorization: `Bearer ${keys.get(name)}` } : {}),
      },
      body: JSON.stringify({ query: "file:README" }),
    });
    const { files, stats } = (await response.json()) as SearchResult;
    return [...files.map(({ repository }) => repository.split("/").at(-1)).sort(), stats.flushReason];
  };
  return {
    search,
    sync: () => run("hosts", "sync", "main"),
    status: () => run("hosts", "status", "main"),
    line: (pattern: RegExp) => served.line(pattern),
    async restart() {
      await served.stop();
      served = await start();
    },
  };
}

if (obstacle !== undefined)
  test("rights on Gitea", (t) => t.diagnostic(`Nothing was tested on a real Gitea: ${obstacle}.`));
else
  test("members see the repositories that Gitea lets them read, also while it is down", async (t) => {
    const gitea = await startGitea();
    t.after(() => gitea.stop());
    const { call } = gitea;
    const token = await populate(gitea);
    const { search, sync, status, line, restart } = await startTrawl(t, gitea, token);
    await eventuallyEqual(() => search("ann"), ["open", "secret", "NONE"], soonMs);
    await eventuallyEqual(() => search("bob"), ["open", "NONE"], soonMs);
    assert.deepEqual(await search("nobody"), ["open", "NONE"]);

    await call("PUT", "/repos/team/secret/collaborators/bob", { permission: "write" });
    await call("DELETE", "/repos/team/secret/collaborators/ann");
    await sync();
    await eventuallyEqual(() => search("bob"), ["open", "secret", "NONE"], soonMs);
    await eventuallyEqual(() => search("ann"), ["open", "NONE"], soonMs);

    await gitea.stop();
    const failed = line(/team\/secret: The host does not say who may read it now/);
    await sync();
    await failed;
    const kept = /^ {2}! team\/secret: The host does not say who may read it now: .*stays in force until 2/m;
    assert.match((await status()).stdout, kept);
    assert.deepEqual(await search("bob"), ["open", "secret", "NONE"]);
    await restart();
    await eventuallyEqual(() => search("bob"), ["open", "secret", "NONE"], soonMs);

    await gitea.start();
    const basic = basicAuthorization("admin1", "Pa55word!");
    await call("DELETE", "/users/admin1/tokens/trawl", undefined, basic);
    await sync();
    await eventuallyEqual(() => search("bob"), ["open", "RIGHTS_UNKNOWN"], soonMs);
    const refused = /^ {2}! The host refuses the credentials, so only owners see its private repositories: /m;
    assert.match((await status()).stdout, refused);
  });
