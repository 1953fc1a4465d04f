import type { Answer, Dialect, FakeRepository, FakeRequest } from "./fakeHost";
import { checkGithubRequest, checkGithubResponse, githubObject } from "./githubApi";

/**
 * GitHub Enterprise Server, whose API is that of github.com below `/api/v3`. Every request and every response is checked
 * by GitHub's description of its API, except for `/organizations/{id}` and `/repositories/{id}`: links to next pages and
 * redirects of renamed repositories lead there, but the description does not have them.
 */
export const github: Dialect = {
  type: "github",
  isPaged: true,
  settings: (url) => ({ type: "github", url, include: { orgs: ["acme"] } }),
  authorization: (token) => `Bearer ${token}`,
  respond(request) {
    const path = request.url.pathname.replace("/api/v3", "");
    const template = templateOf(path);
    if (template === undefined) return undefined;
    checkGithubRequest(template, request.query);
    const answer = answerTo(path, template, request);
    if (answer !== undefined && answer.status === undefined) checkGithubResponse(template, answer.body);
    return answer;
  },
};

const collaboratorsPath = "/repos/{owner}/{repo}/collaborators";

function templateOf(path: string): string | undefined {
  const known: readonly [RegExp, string][] = [
    [/^\/(orgs\/acme|organizations\/7)\/repos$/, "/orgs/{org}/repos"],
    [/^\/users\/[^/]+\/repos$/, "/users/{username}/repos"],
    [/^\/user\/repos$/, "/user/repos"],
    [/^\/installation\/repositories$/, "/installation/repositories"],
    [/^\/user$/, "/user"],
    [/^\/search\/repositories$/, "/search/repositories"],
    [/^\/(repos\/[^/]+\/[^/]+|repositories\/\d+)$/, "/repos/{owner}/{repo}"],
    [/^\/repositories\/\d+\/collaborators$/, collaboratorsPath],
    [/^\/rate_limit$/, "/rate_limit"],
  ];
  return known.find(([pattern]) => pattern.test(path))?.[1];
}

function answerTo(path: string, template: string, request: FakeRequest): Answer | undefined {
  const { repositories, url, query, isSignedIn } = request;
  switch (template) {
    case "/rate_limit": {
      const core = { limit: 5000, used: 1, remaining: 4999, reset: 1_900_000_000 };
      return { body: githubObject(template, { resources: { core, search: core }, rate: core }) };
    }
    case "/user":
      if (!isSignedIn) return { status: 401, body: { message: "Requires authentication" } };
      return { body: githubObject(template, { login: "octocat" }) };
    case "/repos/{owner}/{repo}": {
      const [, , owner = "", name] = path.split("/");
      const renamed = request.renamed.get(`${owner}/${name}`);
      if (renamed !== undefined) {
        const location = `${url.origin}/api/v3/repositories/${renamed.id}`;
        return { status: 301, headers: { location }, body: { message: "Moved Permanently", url: location } };
      }
      const found = repositories.find(
        (each) => each.path === `${owner}/${name}` || String(each.id) === owner,
      );
      return found && { body: githubObject(template, fieldsOf(found)) };
    }
    case collaboratorsPath: {
      const found = repositories.find(({ id }) => String(id) === path.split("/")[2]);
      if (!isSignedIn) return { status: 401, body: { message: "Requires authentication" } };
      return found && collaboratorsOf(found, request);
    }
    default:
      return pageOf(
        template,
        template === "/users/{username}/repos" ? publicOnly(repositories) : repositories,
        request,
      );
  }

  function pageOf(listTemplate: string, all: readonly FakeRepository[], { pageLimit }: FakeRequest): Answer {
    const perPage = Math.min(Number(query.get("per_page") ?? 30), pageLimit);
    const page = Number(query.get("page") ?? 1);
    const items = all
      .slice((page - 1) * perPage, page * perPage)
      .map((each) => githubObject(listTemplate, fieldsOf(each)));
    const next = new URL(url);
    if (listTemplate === "/orgs/{org}/repos") next.pathname = "/api/v3/organizations/7/repos";
    next.searchParams.set("page", String(page + 1));
    const hasNext = page * perPage < all.length;
    return {
      page,
      body:
        listTemplate === "/installation/repositories"
          ? { total_count: all.length, repositories: items }
          : listTemplate === "/search/repositories"
            ? { total_count: all.length, incomplete_results: false, items }
            : items,
      headers: hasNext ? { link: `<${url.origin}/?page=1>; rel="prev", <${next.href}>; rel="next"` } : {},
    };
  }
}

function collaboratorsOf(
  { readers = [], guests = [] }: FakeRepository,
  { url, query, pageLimit }: FakeRequest,
): Answer {
  const perPage = Math.min(Number(query.get("per_page") ?? 30), pageLimit);
  const page = Number(query.get("page") ?? 1);
  const everyone = [...readers, ...guests];
  const people = everyone.slice((page - 1) * perPage, page * perPage).map((login) => {
    const permissions = { pull: readers.includes(login), push: false, admin: false };
    return githubObject(collaboratorsPath, { login, permissions });
  });
  const next = new URL(url);
  next.searchParams.set("page", String(page + 1));
  const hasNext = page * perPage < everyone.length;
  return { page, body: people, headers: hasNext ? { link: `<${next.href}>; rel="next"` } : {} };
}

function publicOnly(repositories: readonly FakeRepository[]): readonly FakeRepository[] {
  return repositories.filter(({ isPrivate }) => !isPrivate);
}

function fieldsOf(repository: FakeRepository): Readonly<Record<string, unknown>> {
  return {
    id: repository.id,
    name: repository.path.split("/")[1],
    full_name: repository.path,
    private: repository.isPrivate === true,
    visibility: repository.isPrivate ? "private" : "public",
    fork: repository.isFork === true,
    archived: repository.isArchived === true,
    disabled: repository.isDisabled === true,
    default_branch: repository.defaultBranch ?? "main",
    size: repository.size ?? 1,
    stargazers_count: 3,
    topics: repository.topics ?? [],
    pushed_at: "2026-01-30T10:00:00Z",
    clone_url: `https://github.com/${repository.path}.git`,
  };
}
