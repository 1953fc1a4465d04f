import type { Answer, Dialect, FakeRepository, FakeRequest } from "./fakeHost";
import { linkedPage, withParameter } from "./fakePages";

/** GitLab, whose requests and responses are checked by what `hostApis.ts` has of its description. */
export const gitlab: Dialect = {
  type: "gitlab",
  isPaged: true,
  settings: (url) => ({ type: "gitlab", url, include: { groups: ["acme"] } }),
  authorization: (token) => `Bearer ${token}`,
  error: (message) => ({ message }),
  limited: {
    status: 429,
    headers: {
      "content-type": "text/plain",
      "ratelimit-limit": "60",
      "ratelimit-name": "throttle_authenticated_api",
      "ratelimit-observed": "67",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "1769860830",
      "ratelimit-resettime": "Sat, 31 Jan 2026 12:00:30 GMT",
      "retry-after": "30",
    },
    body: "Retry later\n",
  },
  respond(request) {
    const path = request.url.pathname.replace("/api/v4", "");
    const render = (each: FakeRepository) => gitlabProject(each, request);
    if (path === "/user")
      return request.isSignedIn
        ? { body: { ...gitlabUser(1, "octocat"), state: "active" } }
        : { status: 401, body: { message: "401 Unauthorized" } };
    if (/^\/(groups\/acme|users\/octocat)\/projects$/.test(path))
      return linkedPage(request, "per_page", "x-total", render);
    if (path === "/projects") {
      return request.query.get("pagination") === "keyset"
        ? keysetPage(request, render)
        : linkedPage(request, "per_page", "x-total", render);
    }
    const [, projectId] = /^\/projects\/(\d+)\/members\/all$/.exec(path) ?? [];
    const project = request.repositories.find(({ id }) => String(id) === projectId);
    if (project !== undefined) return membersOf(project, request);
    const key = decodeURIComponent(/^\/projects\/([^/]+)$/.exec(path)?.[1] ?? "");
    const renamed = request.renamed.get(key);
    if (renamed !== undefined) {
      const location = `${request.url.origin}/api/v4/projects/${renamed.id}`;
      return {
        status: 301,
        headers: { location },
        body: { message: `This resource has moved to ${location}` },
      };
    }
    const found = request.repositories.find((each) => String(each.id) === key || each.path === key);
    return found && { body: render(found) };
  },
};

function gitlabProject(repository: FakeRepository, { isSignedIn }: FakeRequest): object {
  const { id, path } = repository;
  const name = path.split("/")[1];
  return {
    id,
    name,
    path: name,
    path_with_namespace: path,
    // Without credentials, GitLab omits the next four.
    ...(isSignedIn && {
      visibility: repository.isPrivate ? "private" : "public",
      archived: repository.isArchived === true,
      empty_repo: repository.isEmpty === true,
      repository_access_level: repository.isDisabled ? "disabled" : "enabled",
    }),
    ...(repository.isFork && { forked_from_project: { id: 1000 } }),
    default_branch: repository.isEmpty ? null : (repository.defaultBranch ?? "main"),
    star_count: 3,
    topics: repository.topics ?? [],
    http_url_to_repo: `http://gitlab.internal/${path}.git`,
    web_url: `http://gitlab.internal/${path}`,
    created_at: "2025-01-30T10:00:00.000Z",
    last_activity_at: "2026-01-30T10:00:00.000Z",
  };
}

function gitlabUser(id: number, username: string) {
  return { id, username, name: username, web_url: `http://gitlab.internal/${username}` };
}

/** Levels 10 and 20 are guests and reporters. */
function membersOf(
  { readers = [], guests = [], waiting = [] }: FakeRepository,
  request: FakeRequest,
): Answer {
  const members = [
    ...readers.map((username) => ({ username, access_level: 20, membership_state: "active" })),
    ...guests.map((username) => ({ username, access_level: 10, membership_state: "active" })),
    ...waiting.map((username) => ({ username, access_level: 30, membership_state: "awaiting" })),
  ].map((each, at) => ({
    ...gitlabUser(at + 1, each.username),
    state: "active",
    locked: false,
    created_at: "2025-01-30T10:00:00.000Z",
    expires_at: null,
    ...each,
  }));
  const limit = Math.min(Number(request.query.get("per_page") ?? 20), request.pageLimit);
  const page = Number(request.query.get("page") ?? 1);
  const hasNext = page * limit < members.length;
  return {
    page,
    headers: hasNext ? { link: `<${withParameter(request.url, "page", page + 1)}>; rel="next"` } : {},
    body: members.slice((page - 1) * limit, page * limit),
  };
}

/** A full page links to the next one even if that is empty. */
function keysetPage(request: FakeRequest, render: (each: FakeRepository) => object): Answer {
  const after = Number(request.query.get("id_after") ?? 0);
  const limit = Math.min(Number(request.query.get("per_page")), request.pageLimit);
  const items = request.repositories.filter(({ id }) => id > after).slice(0, limit);
  const last = items[limit - 1];
  return {
    page: Math.floor(after / limit) + 1,
    headers:
      last === undefined ? {} : { link: `<${withParameter(request.url, "id_after", last.id)}>; rel="next"` },
    body: items.map(render),
  };
}
