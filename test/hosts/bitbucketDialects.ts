import type { Answer, Dialect, FakeRepository, FakeRequest } from "./fakeHost";
import { slice, withParameter } from "./fakePages";

/** Bitbucket Data Center, whose requests and responses are checked by what `hostApis.ts` has of its description. */
export const bitbucketServer: Dialect = {
  type: "bitbucketServer",
  isPaged: true,
  settings: (url) => ({ type: "bitbucketServer", url, include: { projects: ["acme"] } }),
  authorization: (token) => `Bearer ${token}`,
  error: bitbucketError,
  limited: {
    status: 429,
    headers: { "retry-after": "30" },
    body: JSON.stringify(bitbucketError("You have been rate limited")),
  },
  respond(request) {
    const path = request.url.pathname.replace("/rest/api/latest", "");
    const render = (each: FakeRepository): object => {
      const [key, slug] = each.path.split("/");
      return {
        id: each.id,
        slug,
        name: slug,
        hierarchyId: `hierarchy-${each.id}`,
        scmId: "git",
        state: each.isDisabled ? "OFFLINE" : "AVAILABLE",
        statusMessage: each.isDisabled ? "Offline" : "Available",
        forkable: true,
        public: !each.isPrivate,
        archived: each.isArchived === true,
        project: { id: 1, key, name: key, public: false, type: "NORMAL" },
        ...(each.isFork && { origin: render({ id: 1000, path: each.path }) }),
      };
    };
    if (path === "/projects/acme/repos" || path === "/repos")
      return bitbucketPage(request, 25, request.repositories.map(render));
    if (path === "/users") return usersWith(request);
    if (path === "/projects") {
      const headers = request.isSignedIn ? { "x-ausername": "octocat" } : {};
      const { body } = bitbucketPage(request, 25, []);
      return { headers, body };
    }
    const [, , key, , slug] = path.split("/");
    const found = request.repositories.find((each) => each.path === `${key}/${slug}`);
    return found && { body: render(found) };
  },
};

function bitbucketError(message: string): object {
  return { errors: [{ context: null, message, exceptionName: null }] };
}

function bitbucketPage({ query, pageLimit }: FakeRequest, byDefault: number, items: readonly object[]) {
  const start = Number(query.get("start") ?? 0);
  const limit = Math.min(Number(query.get("limit") ?? byDefault), pageLimit);
  const values = items.slice(start, start + limit);
  const end = start + values.length;
  const rest =
    end < items.length
      ? { isLastPage: false, nextPageStart: end }
      : { isLastPage: true, nextPageStart: null };
  return {
    page: Math.floor(start / limit) + 1,
    body: { size: values.length, limit, start, values, ...rest },
  };
}

/** Users by their effective rights, which Bitbucket filters like this for its own list of possible reviewers. */
function usersWith(request: FakeRequest): Answer {
  const { query, repositories, isSignedIn } = request;
  if (!isSignedIn) return { status: 401, body: bitbucketError("You are not permitted to access users.") };
  const [one, two] = [query.get("permission.1"), query.get("permission.2")];
  const id = query.get("permission.2.repositoryId");
  const found = repositories.find((each) => String(each.id) === id);
  if (one !== "LICENSED_USER" || two !== "REPO_READ" || found === undefined)
    return { status: 400, body: bitbucketError(`Repository ${id} does not exist.`) };
  const users = (found.readers ?? []).map((name, at) => ({
    name,
    id: at + 1,
    slug: name,
    displayName: name,
    active: true,
    type: "NORMAL",
  }));
  return bitbucketPage(request, 25, users);
}

/** Bitbucket Cloud, whose requests and responses are checked by what `hostApis.ts` has of its description. */
export const bitbucketCloud: Dialect = {
  type: "bitbucketCloud",
  isPaged: true,
  settings: () => ({ type: "bitbucketCloud", include: { workspaces: ["acme"] } }),
  authorization: (token) => `Bearer ${token}`,
  error: (message) => ({ type: "error", error: { message } }),
  // Without a time.
  limited: {
    status: 429,
    body: '{"type": "error", "error": {"message": "Rate limit for this resource has been exceeded"}}',
  },
  respond(request) {
    const path = decodeURIComponent(request.url.pathname.replace("/2.0", ""));
    const render = (each: FakeRepository) => ({
      type: "repository",
      uuid: `{${each.id}}`,
      full_name: each.path,
      name: each.path.split("/")[1],
      is_private: each.isPrivate === true,
      scm: "git",
      description: "",
      language: "",
      created_on: "2025-01-30T10:00:00.000000+00:00",
      updated_on: "2026-01-30T10:00:00.000000+00:00",
      parent: each.isFork ? { uuid: "{1000}" } : null,
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
