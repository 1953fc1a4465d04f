/** A real Gitea. Runs if `GITEA_BIN` names its program, or if it is on the PATH. */
import { test } from "node:test";
import { basicAuthorization } from "#hosts/fields";
import { type Gitea, giteaObstacle, startGitea } from "#test/support/gitea";
import { checkRealHost, type RealHost } from "./realHost";

const obstacle = giteaObstacle();
if (obstacle === undefined) checkRealHost("Gitea", async () => openRealGitea(await startGitea()));
else test("Gitea", (t) => t.diagnostic(`Nothing was tested on a real Gitea: ${obstacle}.`));

async function openRealGitea(gitea: Gitea): Promise<RealHost> {
  const { call, origin, run } = gitea;
  const user = "trawl";
  const password = "Pa55word!";
  run(
    ...`admin user create --username ${user} --password ${password} --email t@example.com`.split(" "),
    "--must-change-password=false",
  );
  const scopes = "write:repository,read:organization,read:user";
  const generated = run(
    ..."admin user generate-access-token --token-name trawl --raw".split(" "),
    ...["--username", user, "--scopes", scopes],
  );
  const token = generated.trim();
  await call("POST", "/orgs", { username: "team" });
  await call("POST", "/orgs", { username: "other" });
  for (const org of ["team", "other"]) {
    const team = {
      name: "readers",
      permission: "write",
      units: ["repo.code"],
      includes_all_repositories: true,
    };
    const { id } = (await call("POST", `/orgs/${org}/teams`, team)) as { readonly id: number };
    await call("PUT", `/teams/${id}/members/${user}`);
  }
  return {
    origin,
    settings: { type: "gitea", url: origin, allowHttp: true, include: { orgs: ["team", "other"] } },
    user,
    token,
    keepsIds: true,
    unusualPaths: ["other/a.b--c__d", "other/-dash"],
    async create(path, isPrivate) {
      const [owner = "", name = ""] = path.split("/");
      await call("POST", `/orgs/${owner}/repos`, { name, private: isPrivate, auto_init: true });
    },
    cloneUrl: (path) => `${origin}/${path}.git`,
    async archive(path) {
      await call("PATCH", `/repos/${path}`, { archived: true });
    },
    async remove(path) {
      await call("DELETE", `/repos/${path}`);
    },
    async rename(path, newPath) {
      await call("PATCH", `/repos/${path}`, { name: newPath.split("/")[1] });
    },
    async revokeToken() {
      await call("DELETE", `/users/${user}/tokens/trawl`, undefined, basicAuthorization(user, password));
    },
    start: gitea.start,
    stop: gitea.stop,
  };
}
