import { ServiceError } from "#base/error";
import type {
  RepositoriesRequest,
  RepositoryItem,
  SkippedDocument,
  UnparsedDocument,
} from "#contract/repositories";
import type { Handler } from "#contract/service";
import type { Repository } from "#model/repository";
import { toRepositoryItem } from "./repositoryItems";
import type { RepositoryView } from "./repositoryView";

export function repositoryHandlers(view: RepositoryView): {
  repos: Handler<"repos">;
  skippedRepos: Handler<"skippedRepos">;
  unparsedRepos: Handler<"unparsedRepos">;
} {
  return {
    async repos(request, { baseUrl }) {
      const found = filterAndSort(listed(view, request), request);
      const start = (request.page - 1) * request.perPage;
      const items = found.slice(start, start + request.perPage).map((repository) =>
        toRepositoryItem(repository, baseUrl, {
          isPolled: view.isPolled(repository.id),
          symbolsReady: view.hasSymbols(repository.id),
          ...dependencyStates(view, repository),
        }),
      );
      return { items, total: found.length };
    },

    async skippedRepos({ page, perPage, repo }, { signal }) {
      const repositories = repo === undefined ? view.all() : [requireByName(view, repo)];
      const start = (page - 1) * perPage;
      const items: SkippedDocument[] = [];
      let total = 0;
      for (const { id, name, skippedCount } of repositories) {
        const from = start + items.length - total;
        total += skippedCount;
        if (items.length === perPage || from >= skippedCount) continue;
        const entries = await view.skipped(id, signal);
        for (const entry of entries.slice(from, from + perPage - items.length)) {
          items.push({ repoId: id, repoName: name, ...entry });
        }
      }
      return { items, total };
    },

    async unparsedRepos({ page, perPage, repo }, { signal }) {
      const repositories = repo === undefined ? view.all() : [requireByName(view, repo)];
      const all: UnparsedDocument[] = [];
      for (const { id, name } of repositories) {
        for (const entry of await view.unparsed(id, signal))
          all.push({ repoId: id, repoName: name, ...entry });
      }
      const start = (page - 1) * perPage;
      return { items: all.slice(start, start + perPage), total: all.length };
    },
  };
}

function listed(view: RepositoryView, { name, dependencies }: RepositoriesRequest): readonly Repository[] {
  if (name !== undefined) {
    const found = view.byName(name);
    return found === undefined ? [] : [found];
  }
  const packages = dependencies === "no" ? [] : view.packages();
  return dependencies === "only" ? packages : [...view.all(), ...packages];
}

/** Describes the packages that the lock files of a repository name. */
function dependencyStates(
  view: RepositoryView,
  { dependencies, dependencyProblem }: Repository,
): Pick<RepositoryItem, "dependencyCount" | "dependencyProblem"> {
  const failed = (dependencies ?? []).flatMap((id) => {
    const found = view.get(id);
    return found?.state === "failed" ? [`${found.name}: ${found.lastError}`] : [];
  });
  const [first] = failed;
  const problems = [
    ...(dependencyProblem === undefined ? [] : [dependencyProblem]),
    ...(first === undefined ? [] : [`${failed.length} could not be indexed, such as ${first}`]),
  ];
  return {
    ...(dependencies === undefined ? {} : { dependencyCount: dependencies.length }),
    ...(problems.length === 0 ? {} : { dependencyProblem: problems.join(" ") }),
  };
}

function requireByName(view: RepositoryView, name: string): Repository {
  const repository = view.byName(name);
  if (repository === undefined) throw new ServiceError("NOT_FOUND", `Repository "${name}" not found.`);
  return repository;
}

/** Filters and sorts `all`. Packages follow the others. Repositories without a time count as the oldest, and those without stars as having none. */
function filterAndSort(all: readonly Repository[], request: RepositoriesRequest): readonly Repository[] {
  const wanted = request.query?.toLowerCase();
  const found = all.filter(
    ({ name, formerNames = [] }) =>
      wanted === undefined ||
      name.toLowerCase().includes(wanted) ||
      formerNames.some((each) => each.toLowerCase() === wanted),
  );
  const keys = { pushed: "pushedAt", indexed: "indexedAt", stars: "stars", name: undefined } as const;
  const field = keys[request.sort];
  if (field !== undefined) found.sort((left, right) => (left[field] ?? 0) - (right[field] ?? 0));
  return request.direction === "asc" ? found : found.reverse();
}
