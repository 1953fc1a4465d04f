/** The dialects of the other hosts. The source of their fields is named in the comment of each. */
import type { Answer, Dialect, FakeRepository, FakeRequest } from "./fakeHost";
import { github } from "./githubDialect";

/** One page by number, with the offset of the next one. */
function slice(request: FakeRequest, offset: number, limit: number) {
  const size = Math.min(limit, request.pageLimit);
  const { repositories } = request;
  const items = repositories.slice(offset, offset + size);
  const nextOffset = offset + items.length;
  return {
    items,
    nextOffset,
    hasNext: nextOffset < repositories.length,
    page: Math.floor(offset / size) + 1,
  };
}

function withParameter(url: URL, name: string, value: number | string): string {
  const changed = new URL(url);
  changed.searchParams.set(name, String(value));
  return changed.href;
}

/** Pages by number with a `Link` header, as GitLab and Gitea have them. */
function linkedPage(
  request: FakeRequest,
  sizeParameter: string,
  totalHeader: string,
  render: (repository: FakeRepository) => object,
): Answer & { readonly body: readonly object[] } {
  const { url, query, pageLimit } = request;
  const limit = Math.min(Number(query.get(sizeParameter) ?? 20), pageLimit);
  const number = Number(query.get("page") ?? 1);
  const { items, hasNext } = slice(request, (number - 1) * limit, limit);
  const link = hasNext ? { link: `<${withParameter(url, "page", number + 1)}>; rel="next"` } : {};
  return {
    page: number,
    headers: { [totalHeader]: String(request.repositories.length), ...link },
    body: items.map(render),
  };
}

/** GitLab, from its REST documentation; not compared with a server. */
const gitlab: Dialect = {
  type: "gitlab",
  isPaged: true,
  settings: (url) => ({ type: "gitlab", url, include: { groups: ["acme"] } }),
  authorization: (token) => `Bearer ${token}`,
  respond(request) {
    const path = request.url.pathname.replace("/api/v4", "");
    const render = (each: FakeRepository) => ({
      id: each.id,
      path_with_namespace: each.path,
      // Without credentials, GitLab omits the next four.
      ...(request.isSignedIn && {
        visibility: each.isPrivate ? "private" : "public",
        archived: each.isArchived === true,
        empty_repo: each.isEmpty === true,
        repository_access_level: each.isDisabled ? "disabled" : "enabled",
      }),
      ...(each.isFork && { forked_from_project: { id: 1000 } }),
      default_branch: each.isEmpty ? null : (each.defaultBranch ?? "main"),
      star_count: 3,
      topics: each.topics ?? [],
      http_url_to_repo: `http://gitlab.internal/${each.path}.git`,
    });
    if (path === "/user") return request.isSignedIn ? { body: { id: 1, username: "octocat" } } : undefined;
    if (path === "/groups/acme/projects") return linkedPage(request, "per_page", "x-total", render);
    if (path === "/projects") return keysetPage(request, render);
    const [, projectId] = /^\/projects\/(\d+)\/members\/all$/.exec(path) ?? [];
    const project = request.repositories.find(({ id }) => String(id) === projectId);
    if (project !== undefined) return membersOf(project, request);
    const key = decodeURIComponent(/^\/projects\/([^/]+)$/.exec(path)?.[1] ?? "");
    const found = request.repositories.find((each) => String(each.id) === key || each.path === key);
    return found && { body: render(found) };
  },
};

/** Levels 10 and 20 are guests and reporters. */
function membersOf({ readers = [], guests = [] }: FakeRepository, request: FakeRequest): Answer {
  const members = [
    ...readers.map((username) => ({ username, access_level: 20 })),
    ...guests.map((username) => ({ username, access_level: 10 })),
  ].map((each, at) => ({ id: at + 1, name: each.username, state: "active", expires_at: null, ...each }));
  const limit = Math.min(Number(request.query.get("per_page") ?? 20), request.pageLimit);
  const page = Number(request.query.get("page") ?? 1);
  const hasNext = page * limit < members.length;
  return {
    page,
    headers: hasNext ? { link: `<${withParameter(request.url, "page", page + 1)}>; rel="next"` } : {},
    body: members.slice((page - 1) * limit, page * limit),
  };
}

function keysetPage(request: FakeRequest, render: (each: FakeRepository) => object): Answer {
  const after = Number(request.query.get("id_after") ?? 0);
  const limit = Math.min(Number(request.query.get("per_page")), request.pageLimit);
  const rest = request.repositories.filter(({ id }) => id > after);
  const last = rest[limit - 1];
  const isLastPage = rest.length <= limit || last === undefined;
  return {
    page: Math.floor(after / limit) + 1,
    headers: isLastPage ? {} : { link: `<${withParameter(request.url, "id_after", last.id)}>; rel="next"` },
    body: rest.slice(0, limit).map(render),
  };
}

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

/** Bitbucket Data Center, from public recordings of a real server. */
const bitbucketServer: Dialect = {
  type: "bitbucketServer",
  isPaged: true,
  settings: (url) => ({ type: "bitbucketServer", url, include: { projects: ["acme"] } }),
  authorization: (token) => `Bearer ${token}`,
  respond(request) {
    const path = request.url.pathname.replace("/rest/api/latest", "");
    const render = (each: FakeRepository) => ({
      id: each.id,
      slug: each.path.split("/")[1],
      name: each.path.split("/")[1],
      state: each.isDisabled ? "OFFLINE" : "AVAILABLE",
      public: !each.isPrivate,
      archived: each.isArchived === true,
      project: { key: each.path.split("/")[0], type: "NORMAL" },
      ...(each.isFork && { origin: { id: 1000 } }),
    });
    if (path === "/projects/acme/repos" || path === "/repos") {
      const { items, hasNext, nextOffset, page } = slice(
        request,
        Number(request.query.get("start") ?? 0),
        Number(request.query.get("limit") ?? 25),
      );
      const rest = hasNext ? { isLastPage: false, nextPageStart: nextOffset } : { isLastPage: true };
      return { page, body: { size: items.length, values: items.map(render), ...rest } };
    }
    if (path === "/users") return usersWith(request);
    if (path === "/projects") {
      const headers = request.isSignedIn ? { "x-ausername": "octocat" } : {};
      return { headers, body: { values: [], isLastPage: true } };
    }
    const [, , key, , slug] = path.split("/");
    const found = request.repositories.find((each) => each.path === `${key}/${slug}`);
    return found && { body: render(found) };
  },
};

/** Users by their effective rights, which Bitbucket filters like this for its own list of possible reviewers. */
function usersWith({ query, repositories, isSignedIn, pageLimit }: FakeRequest): Answer {
  if (!isSignedIn) return { status: 401, body: { errors: [{ message: "You are not permitted." }] } };
  const [one, two] = [query.get("permission.1"), query.get("permission.2")];
  const id = query.get("permission.2.repositoryId");
  const found = repositories.find((each) => String(each.id) === id);
  if (one !== "LICENSED_USER" || two !== "REPO_READ" || found === undefined)
    return { status: 404, body: { errors: [{ message: `Repository ${id} does not exist.` }] } };
  const start = Number(query.get("start") ?? 0);
  const limit = Math.min(Number(query.get("limit")), pageLimit);
  const { readers = [] } = found;
  const values = readers
    .slice(start, start + limit)
    .map((name, at) => ({ name, id: at + 1, slug: name, active: true, type: "NORMAL" }));
  const end = start + values.length;
  const rest = end < readers.length ? { isLastPage: false, nextPageStart: end } : { isLastPage: true };
  return { page: Math.floor(start / limit) + 1, body: { size: values.length, values, ...rest } };
}

/** Bitbucket Cloud, from Atlassian's public description of its API. */
const bitbucketCloud: Dialect = {
  type: "bitbucketCloud",
  isPaged: true,
  settings: () => ({ type: "bitbucketCloud", include: { workspaces: ["acme"] } }),
  authorization: (token) => `Bearer ${token}`,
  respond(request) {
    const path = decodeURIComponent(request.url.pathname.replace("/2.0", ""));
    const render = (each: FakeRepository) => ({
      type: "repository",
      uuid: `{${each.id}}`,
      full_name: each.path,
      is_private: each.isPrivate === true,
      ...(each.isFork && { parent: { uuid: "{1000}" } }),
      mainbranch: each.isEmpty ? null : { type: "branch", name: each.defaultBranch ?? "main" },
      size: (each.size ?? 1) * 1024,
    });
    if (path === "/repositories/acme") {
      const limit = Math.min(Number(request.query.get("pagelen") ?? 10), request.pageLimit);
      const number = Number(request.query.get("page") ?? 1);
      const { items, hasNext } = slice(request, (number - 1) * limit, limit);
      const next = hasNext && { next: withParameter(request.url, "page", number + 1) };
      return { page: number, body: { pagelen: limit, page: number, values: items.map(render), ...next } };
    }
    const found = request.repositories.find((each) =>
      [`/repositories/${each.path}`, `/repositories/acme/{${each.id}}`].includes(path),
    );
    return found && { body: render(found) };
  },
};

/** Azure DevOps Server, from public recordings and Microsoft's description of its API. */
const azuredevops: Dialect = {
  type: "azuredevops",
  isPaged: false,
  settings: (url) => ({ type: "azuredevops", url, include: { orgs: ["acme"] } }),
  authorization: (token) => `Basic ${Buffer.from(`:${token}`).toString("base64")}`,
  respond(request) {
    const path = decodeURIComponent(request.url.pathname);
    const render = (each: FakeRepository) => ({
      id: `guid-${each.id}`,
      name: each.path.split("/")[1],
      project: {
        id: "guid",
        name: "Team A",
        visibility: each.isPrivate ? "private" : "public",
        state: "wellFormed",
      },
      ...(!each.isEmpty && { defaultBranch: `refs/heads/${each.defaultBranch ?? "main"}` }),
      size: (each.size ?? 1) * 1024,
      isDisabled: each.isDisabled === true,
      isInMaintenance: false,
      ...(each.isFork && { isFork: true }),
    });
    if (path === "/acme/_apis/projects") return { body: { count: 1, value: [{ name: "Team A" }] } };
    if (path === "/acme/_apis/git/repositories") {
      const value = request.repositories.map(render);
      return { page: 1, body: { value, count: value.length } };
    }
    const [, key] = /^\/acme\/(?:Team A\/)?_apis\/git\/repositories\/([^/]+)$/.exec(path) ?? [];
    const found = request.repositories.find(
      (each) => key === `guid-${each.id}` || key === each.path.split("/")[1],
    );
    return found && { body: render(found) };
  },
};

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
