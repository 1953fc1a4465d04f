/** Changes on a real Gitea that webhooks report. Runs if `GITEA_BIN` names its program, or if it is on the PATH. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { CodeHostPlan } from "#contract/codeHosts";
import { eventuallyEqual } from "#test/support/eventually";
import { type Gitea, giteaObstacle, startGitea } from "#test/support/gitea";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const obstacle = giteaObstacle();
const user = "reader";
const names = ["one", "two", "three", "four"];
const env = { HOOK: "c4nary-h00k" };
/** How soon a change must be found. Webhooks wait two seconds for more of them. */
const soonMs = 15_000;

async function populate({ call, run }: Gitea): Promise<string> {
  run(
    ...`admin user create --username ${user} --password Pa55word! --email r@example.com`.split(" "),
    "--must-change-password=false",
  );
  const scopes = "read:repository,read:organization,read:user";
  const token = run(
    ...`admin user generate-access-token --token-name t --raw --username ${user}`.split(" "),
    ...["--scopes", scopes],
  );
  for (const org of ["team", "other"]) await call("POST", "/orgs", { username: org });
  for (const name of names)
    await call("POST", "/orgs/team/repos", { name, private: name === "four", auto_init: true });
  await call("PUT", `/repos/team/four/collaborators/${user}`, { permission: "read" });
  return token.trim();
}

/** Starts Trawl, whose webhooks Gitea then calls. */
async function serveWithHooks(t: TestContext, { call, origin }: Gitea, token: string) {
  const folder = temporaryFolder();
  const file = join(folder, "trawl.json");
  const main = {
    type: "gitea",
    url: origin,
    allowHttp: true,
    token: { env: "TOKEN" },
    include: { orgs: ["team"], repos: ["other/one"] },
    webhook: { secret: { env: "HOOK" } },
    // Nothing is found without webhooks.
    sync: { listEvery: "1h", fetchMin: "1h" },
    onRemoved: { keepDays: 0, confirmations: 1, maxShare: 1 },
  };
  writeFileSync(file, JSON.stringify({ connections: { main } }), { mode: 0o600 });
  const dataDir = join(folder, "data");
  const flags = ["--config", file];
  const served = await serve(dataDir, [], { flags, env: { ...env, TOKEN: token } });
  t.after(() => served.stop());
  const hook = {
    type: "gitea",
    active: true,
    events: ["push", "create", "delete", "repository"],
    config: { url: `${served.url}/api/webhooks/main`, content_type: "json", secret: env.HOOK },
  };
  for (const org of ["team", "other"]) await call("POST", `/orgs/${org}/hooks`, hook);
  const sync = async () => {
    const args = ["hosts", "sync", "main", "--json", "--data-dir", dataDir, ...flags];
    const { stdout } = await trawl(args, undefined, { env: { ...env, TOKEN: token } });
    return (JSON.parse(stdout) as { readonly main: CodeHostPlan }).main;
  };
  return { served, sync };
}

async function pathsIn(served: Served): Promise<readonly string[]> {
  const all = (await served.repositories()).filter(({ indexedAt }) => indexedAt !== undefined);
  return all.map(({ repoName }) => repoName.split("/").slice(1).join("/")).sort();
}

if (obstacle !== undefined)
  test("changes on Gitea", (t) => t.diagnostic(`Nothing was tested on a real Gitea: ${obstacle}.`));
else
  test("pushes, renames, transfers and lost rights on Gitea are found within seconds", async (t) => {
    const gitea = await startGitea();
    t.after(() => gitea.stop());
    const { call, origin, adminToken } = gitea;
    const token = await populate(gitea);
    const { served, sync } = await serveWithHooks(t, gitea, token);
    const paths = () => pathsIn(served);
    const search = async (query: string) =>
      (await served.search(query)).files.map(({ repository }) => repository.split("/").slice(1).join("/"));
    await eventuallyEqual(paths, ["team/four", "team/one", "team/three", "team/two"], 60_000);

    const urlOf = (path: string) => `${origin.replace("//", `//admin1:${adminToken}@`)}/${path}.git`;
    const source = repo("= main: One\ncode.ts\n| export const pushedByHook = 1;");
    source.git("push", "-q", "--force", urlOf("team/one"), "HEAD:refs/heads/main");
    await eventuallyEqual(() => search("pushedByHook"), ["team/one"], soonMs);
    source.git("push", "-q", urlOf("team/one"), "HEAD:refs/heads/feature");
    const revisions = async () =>
      (await served.repositories())
        .find(({ repoName }) => repoName.endsWith("team/one"))
        ?.revisions.map(({ name, commit }) => `${commit}\t${name}`);
    const listed = runGit(source.path, ["ls-remote", "--heads", urlOf("team/one")])
      .toString()
      .trim()
      .split("\n");
    await eventuallyEqual(async () => (await revisions())?.sort(), listed.sort(), soonMs);
    assert.equal(listed.length, 2);

    // Gitea sends no webhook for these; a listing finds them, and keeps the index.
    await call("PATCH", "/repos/team/two", { name: "renamed" });
    await call("POST", "/repos/team/one/transfer", { new_owner: "other" });
    await call("DELETE", `/repos/team/four/collaborators/${user}`);
    const { renamed, removed, problems } = await sync();
    assert.deepEqual(problems, []);
    assert.deepEqual(
      [...renamed].sort((left, right) => (left.from < right.from ? -1 : 1)),
      [
        { from: "team/one", to: "other/one" },
        { from: "team/two", to: "team/renamed" },
      ],
    );
    assert.deepEqual(
      removed.map(({ path }) => path),
      ["team/four"],
    );
    await eventuallyEqual(paths, ["other/one", "team/renamed", "team/three"], soonMs);
    assert.deepEqual(await search("pushedByHook"), ["other/one"]);

    await call("DELETE", "/repos/team/three");
    await call("POST", "/orgs/team/repos", { name: "five", private: false, auto_init: true });
    await eventuallyEqual(paths, ["other/one", "team/five", "team/renamed"], 60_000);

    // Nobody pushes while the host is down, and everything is found after it.
    await gitea.stop();
    assert.equal((await sync()).problems.length, 1);
    assert.deepEqual(await paths(), ["other/one", "team/five", "team/renamed"]);
    await gitea.start();
    source.more("= main: Two\nlater.ts\n| export const pushedAfterRestart = 2;");
    source.git("push", "-q", urlOf("other/one"), "HEAD:refs/heads/main");
    await eventuallyEqual(() => search("pushedAfterRestart"), ["other/one"], soonMs);
  });
