/** A real Gerrit. Runs with `GERRIT=1`, as in `.ci/hosts`. */
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Gerrit, gerritObstacle, startGerrit } from "#test/support/gerrit";
import { checkRealHost, type RealHost } from "./realHost";

const obstacle = gerritObstacle();
if (obstacle === undefined) checkRealHost("Gerrit", async () => openRealGerrit(await startGerrit()));
else test("Gerrit", (t) => t.diagnostic(`Nothing was tested on a real Gerrit: ${obstacle}.`));

async function openRealGerrit(gerrit: Gerrit): Promise<RealHost> {
  const { call, origin, repositories } = gerrit;
  const user = "trawl";
  const token = "a passw%rd: of/Gerrit+";
  await call("PUT", `/accounts/${user}`, { http_password: token });
  await call("PUT", "/groups/readers", { members: [user, "admin"] });
  const allow = { rules: { readers: { action: "ALLOW", force: true } } };
  const grant = (project: string, permissions: object) =>
    call("POST", `/projects/${project}/access`, { add: { "refs/*": { permissions } } });
  await grant("All-Projects", { push: allow, create: allow, forgeAuthor: allow, forgeCommitter: allow });
  // Projects from which others only inherit are not listed.
  await call("PUT", "/projects/private", { permissions_only: true });
  const readers = { readers: { action: "ALLOW" }, "global:Anonymous-Users": { action: "BLOCK" } };
  await grant("private", { read: { exclusive: true, rules: readers } });
  // Gerrit can delete and rename only with plugins, so both happen on disk, while it is stopped.
  const changes: (() => void)[] = [];
  const folderOf = (path: string) => join(repositories, `${path}.git`);
  return {
    origin,
    settings: { type: "gerrit", url: origin, allowHttp: true, user, include: { all: true } },
    user,
    token,
    keepsIds: false,
    unusualPaths: ["flat", "with space/ümlaut", "deep/er/a+b&c#d"],
    async create(path, isPrivate) {
      const parent = isPrivate ? { parent: "private" } : {};
      const settings = { branches: ["main"], create_empty_commit: true, ...parent };
      await call("PUT", `/projects/${encodeURIComponent(path)}`, settings);
    },
    cloneUrl: (path) => `${origin}/a/${path.split("/").map(encodeURIComponent).join("/")}`,
    async archive(path) {
      await call("PUT", `/projects/${encodeURIComponent(path)}/config`, { state: "READ_ONLY" });
    },
    async remove(path) {
      changes.push(() => rmSync(folderOf(path), { recursive: true }));
    },
    async rename(path, newPath) {
      changes.push(() => renameSync(folderOf(path), folderOf(newPath)));
    },
    async revokeToken() {
      await call("DELETE", `/accounts/${user}/password.http`);
    },
    start: gerrit.start,
    async stop() {
      await gerrit.stop();
      for (const change of changes.splice(0)) change();
    },
  };
}
