/** The dialects of the other hosts. The source of their fields is named in the comment of each. */
import { bitbucketCloud, bitbucketServer } from "./bitbucketDialects";
import type { Answer, Dialect, FakeRepository } from "./fakeHost";
import { linkedPage, slice } from "./fakePages";
import { github } from "./githubDialect";
import { gitlab } from "./gitlabDialect";

/** Gitea 1.26, which `giteaAnswers.test.ts` compares with a real server. */
const gitea: Dialect = {
  type: "gitea",
  isPaged: true,
  settings: (url) => ({ type: "gitea", url, include: { orgs: ["acme"] } }),
  authorization: (token) => `token ${token}`,
  respond(request) {
    const path = request.url.pathname.replace("/api/v1", "");
    const render = (each: FakeRepository) => ({
      id: each.id,
      full_name: each.path,
      private: each.isPrivate === true,
      internal: false,
      fork: each.isFork === true,
      mirror: false,
      archived: each.isArchived === true,
      empty: each.isEmpty === true,
      default_branch: each.defaultBranch ?? "main",
      size: each.size ?? 1,
      stars_count: 3,
      topics: each.topics ?? [],
      updated_at: "2026-01-30T10:00:00Z",
      clone_url: `http://localhost:3000/${each.path}.git`,
    });
    const needsToken = path === "/user" || path.startsWith("/repositories/");
    if (needsToken && !request.isSignedIn) return { status: 401, body: { message: "token is required" } };
    if (path === "/user") return { body: { login: "octocat" } };
    if (path === "/version") return { body: { version: "1.26.0" } };
    if (path === "/orgs/acme") return { body: { id: 7, name: "acme" } };
    if (path === "/repos/search") {
      const page = linkedPage(request, "limit", "x-total-count", render);
      return { ...page, body: { ok: true, data: page.body } };
    }
    const [, kind, owner, name, , login = ""] = path.split("/");
    if (path.endsWith("/permission")) {
      const found = request.repositories.find((each) => each.path === `${owner}/${name}`);
      if (!request.isSignedIn) return { status: 401, body: { message: "token is required" } };
      return found && permissionOf(found, decodeURIComponent(login));
    }
    const renamed = request.renamed.get(`${owner}/${name}`);
    if (kind === "repos" && renamed !== undefined) {
      return { status: 301, headers: { location: `/api/v1/repos/${renamed.path}` }, body: {} };
    }
    const found = request.repositories.find((each) =>
      kind === "repositories" ? String(each.id) === owner : each.path === `${owner}/${name}`,
    );
    return found && { body: render(found) };
  },
};

/** Every person exists whose name the world has. */
function permissionOf({ readers = [], guests = [], isPrivate }: FakeRepository, login: string): Answer {
  const user = [...readers, ...guests].find((each) => each.toLowerCase() === login.toLowerCase());
  if (user === undefined) return { status: 404, body: { message: "user does not exist" } };
  const permission = readers.includes(user) || !isPrivate ? "read" : "none";
  return { body: { permission, role_name: permission, user: { login: user } } };
}

/** Gerrit 3.9, observed on a real server, which `realGerrit.test.ts` also runs. */
const gerrit: Dialect = {
  type: "gerrit",
  isPaged: true,
  prefix: ")]}'\n",
  settings: (url) => ({ type: "gerrit", url, user: "octocat", include: { all: true } }),
  authorization: (token) => `Basic ${Buffer.from(`octocat:${token}`).toString("base64")}`,
  respond(request) {
    const path = request.url.pathname.replace(/^\/a\//, "/");
    const render = (each: FakeRepository) => ({
      id: encodeURIComponent(each.path),
      state: each.isArchived ? "READ_ONLY" : each.isHidden ? "HIDDEN" : "ACTIVE",
      web_links: [{ name: "browse", url: `/plugins/gitiles/${each.path}`, target: "_blank" }],
    });
    if (path === "/accounts/self") return request.isSignedIn ? { body: { username: "octocat" } } : undefined;
    if (path === "/config/server/version") return { body: "3.9.1" };
    if (path === "/projects/") {
      const { items, hasNext, page } = slice(
        { ...request, repositories: request.repositories.filter(({ isHidden }) => !isHidden) },
        Number(request.query.get("S")),
        Number(request.query.get("n")),
      );
      // The types are filtered after the page was cut.
      const isListed = (each: FakeRepository) =>
        request.query.get("type") !== "CODE" || !each.isPermissionsOnly;
      const listed = items.filter(isListed);
      const entries = listed.map((each, at) => {
        const isLast = at === listed.length - 1;
        return [each.path, { ...render(each), ...(isLast && hasNext && { _more_projects: true }) }];
      });
      return { page, body: Object.fromEntries(entries) };
    }
    const name = decodeURIComponent(/^\/projects\/([^/]+)$/.exec(path)?.[1] ?? "");
    const found = request.repositories.find((each) => each.path === name);
    if (found?.isHidden && !request.isSignedIn)
      return { status: 409, body: { message: "project state HIDDEN does not permit read" } };
    return found && { body: { ...render(found), name: found.path } };
  },
};

const azureProject = {
  id: azureId(0),
  name: "Team A",
  url: "https://tfs.internal/acme/_apis/projects/0",
  state: "wellFormed",
  revision: 12,
  visibility: "private",
  lastUpdateTime: "2026-01-30T10:00:00.000Z",
};

/** Azure DevOps Server, whose requests and responses are checked by what `hostApis.ts` has of its description. */
const azuredevops: Dialect = {
  type: "azuredevops",
  isPaged: false,
  settings: (url) => ({ type: "azuredevops", url, include: { orgs: ["acme"] } }),
  authorization: (token) => `Basic ${Buffer.from(`:${token}`).toString("base64")}`,
  error: (message) => ({
    $id: "1",
    innerException: null,
    message,
    typeName: "Microsoft.TeamFoundation.Git.Server.GitRepositoryNotFoundException",
    typeKey: "GitRepositoryNotFoundException",
    errorCode: 0,
    eventId: 3000,
  }),
  limited: {
    status: 429,
    headers: {
      "x-ratelimit-resource": "Git/Concurrency",
      "x-ratelimit-delay": "1.5",
      "x-ratelimit-limit": "200",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "1769860860",
      "retry-after": "30",
    },
  },
  respond(request) {
    const path = decodeURIComponent(request.url.pathname);
    const render = (each: FakeRepository) => {
      const name = each.path.split("/")[1];
      return {
        id: azureId(each.id),
        name,
        url: `https://tfs.internal/acme/_apis/git/repositories/${azureId(each.id)}`,
        remoteUrl: `https://acme@tfs.internal/acme/Team%20A/_git/${name}`,
        sshUrl: `ssh://tfs.internal:22/acme/Team%20A/_git/${name}`,
        project: { ...azureProject, visibility: each.isPrivate ? "private" : "public" },
        ...(!each.isEmpty && { defaultBranch: `refs/heads/${each.defaultBranch ?? "main"}` }),
        size: (each.size ?? 1) * 1024,
        isDisabled: each.isDisabled === true,
        isInMaintenance: false,
        ...(each.isFork && { isFork: true }),
      };
    };
    if (path === "/acme/_apis/projects") return { body: { count: 1, value: [azureProject] } };
    if (/^\/acme\/(Team A\/)?_apis\/git\/repositories$/.test(path)) {
      const value = request.repositories.map(render);
      return { page: 1, body: { value, count: value.length } };
    }
    const [, key] = /^\/acme\/(?:Team A\/)?_apis\/git\/repositories\/([^/]+)$/.exec(path) ?? [];
    const found = request.repositories.find(
      (each) => key === azureId(each.id) || key === each.path.split("/")[1],
    );
    return found && { body: render(found) };
  },
};

function azureId(id: number): string {
  return `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`;
}

/** A manifest as grokmirror documents it. */
const genericGitHost: Dialect = {
  type: "genericGitHost",
  isPaged: false,
  isGzip: true,
  settings: (url) => ({
    type: "genericGitHost",
    url,
    user: "octocat",
    include: { manifest: "/manifest.js.gz" },
  }),
  authorization: (token) => `Basic ${Buffer.from(`octocat:${token}`).toString("base64")}`,
  respond({ url, repositories }) {
    if (url.pathname !== "/manifest.js.gz") return undefined;
    const entry = (id: number) => ({ fingerprint: `f${id}`, modified: 1_769_853_600, reference: null });
    const entries = repositories.map(({ id, path }) => [`/${path}.git`, entry(id)]);
    return { page: 1, headers: { "content-type": "application/x-gzip" }, body: Object.fromEntries(entries) };
  },
};

export const dialects: readonly Dialect[] = [
  github,
  gitlab,
  gitea,
  gerrit,
  bitbucketServer,
  bitbucketCloud,
  azuredevops,
  genericGitHost,
];

export function dialectOf(type: string): Dialect {
  const found = dialects.find((each) => each.type === type);
  if (found === undefined) throw new Error(`No dialect ${type}`);
  return found;
}
