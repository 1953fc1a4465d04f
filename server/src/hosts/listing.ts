/** Lists a scope page by page, and decides whether the list is complete. */
import type { Adapter, ListedScope, Page, Scope } from "./adapter";
import type { HostProblem, HostRepository, ScopeListing } from "./codeHost";
import { absenceStatus, HostFailure, malformedField, problemOf } from "./failure";
import type { HostResponse, Requests } from "./requests";
import { isBelow, isRepositoryPath } from "./urls";

const maxPages = 10_000;
const maxRepositories = 500_000;
const maxProblems = 20;
const attemptsBeforeSmallerPage = 2;

/** A page after its items were read. */
interface ReadPage extends Omit<Page, "items"> {
  readonly repositories: readonly HostRepository[];
  readonly itemCount: number;
  readonly odd: readonly string[];
}

/** Rejects with CANCELLED only. */
export async function listScope(
  adapter: Adapter,
  requests: Requests,
  scope: Scope,
  signal: AbortSignal,
): Promise<ScopeListing> {
  if (scope.kind === "fixed") {
    return { scope: scope.name, outcome: "complete", repositories: scope.repositories, problems: [] };
  }
  const visited = new Set<string>();
  const found = new Map<string, HostRepository>();
  const problems: HostProblem[] = [];
  const totals = new Set<number>();
  let pageCount = 0;
  let previousCount: number | undefined;
  /** Entries of all pages, without those that were repeated because the list has moved meanwhile. */
  let itemCount = 0;
  try {
    const firstUrl = await scope.firstUrl(requests, signal);
    for (let url: string | undefined = firstUrl; url !== undefined; ) {
      checkNext(url, adapter, visited);
      const page = await fetchPage(url, { adapter, requests, scope, visited, previousCount, signal });
      previousCount = page.itemCount;
      pageCount++;
      itemCount += page.itemCount;
      for (const repository of page.repositories) {
        if (found.has(repository.hostId)) itemCount--;
        found.set(repository.hostId, repository);
      }
      if (found.size > maxRepositories)
        throw new HostFailure({ message: `The list has more than ${maxRepositories} repositories.` });
      for (const message of page.odd) problems.push({ message });
      if (page.warning !== undefined) problems.push({ message: page.warning });
      if (page.total !== undefined) totals.add(page.total);
      url = page.next;
    }
    const [total] = totals;
    if (totals.size > 1 || (total !== undefined && itemCount < total)) {
      problems.push({ message: "The list changed while it was read." });
      // Or since then: pages that the host reports as unchanged have the total of an earlier list.
      for (const url of visited) requests.forgetPage(url);
    }
  } catch (error) {
    const problem = problemOf(error);
    problems.unshift(problem);
    // That a single repository does not exist is all that there is to know about it.
    if (scope.kind === "one" && absenceStatus(error) !== undefined) {
      return { scope: scope.name, outcome: "complete", repositories: [], problems };
    }
  }
  const outcome = problems.length === 0 ? "complete" : pageCount === 0 ? "failed" : "partial";
  return { scope: scope.name, outcome, repositories: [...found.values()], problems: cutProblems(problems) };
}

interface PageRequest {
  readonly adapter: Adapter;
  readonly requests: Requests;
  readonly scope: ListedScope;
  readonly visited: Set<string>;
  readonly previousCount: number | undefined;
  readonly signal: AbortSignal;
}

/** Fetches a page, or a smaller one if the host fails with it. */
async function fetchPage(url: string, request: PageRequest): Promise<ReadPage> {
  const { adapter, requests, scope, visited, previousCount, signal } = request;
  const smaller = scope.kind === "list" ? adapter.smallerPage?.(url, previousCount) : undefined;
  try {
    return await requests.getPage(
      url,
      (response) => readPage(adapter, scope, response),
      ({ mayGrow }) => !mayGrow,
      signal,
      smaller === undefined ? undefined : attemptsBeforeSmallerPage,
    );
  } catch (error) {
    if (smaller === undefined || !isOverloaded(error)) throw error;
    visited.add(smaller);
    return await fetchPage(smaller, request);
  }
}

/** Whether the host failed, or did not respond in time. */
function isOverloaded(error: unknown): boolean {
  if (!(error instanceof HostFailure)) return false;
  const { status, retryAt } = error.problem;
  return status === undefined ? retryAt === undefined : status >= 500;
}

function checkNext(url: string, adapter: Adapter, visited: Set<string>): void {
  if (!isBelow(url, adapter.api.base)) {
    const what = visited.size === 0 ? "The query leads" : "The host links to a next page";
    throw new HostFailure({ message: `${what} outside of its API.` });
  }
  if (visited.has(url)) throw new HostFailure({ message: "The host links to a page that was already read." });
  if (visited.size === maxPages)
    throw new HostFailure({ message: `The list has more than ${maxPages} pages.` });
  visited.add(url);
}

function readPage(adapter: Adapter, scope: ListedScope, response: HostResponse): ReadPage {
  const { items, ...page } = scope.kind === "one" ? { items: [response.body] } : adapter.page(response);
  if (items.length > maxRepositories)
    throw new HostFailure({ message: "The page has too many repositories." });
  const repositories: HostRepository[] = [];
  const odd: string[] = [];
  for (const [at, item] of items.entries()) {
    try {
      const repository = readRepository(adapter, item, response.url);
      if (repository !== undefined) repositories.push(repository);
    } catch (error) {
      if (odd.length < maxProblems)
        odd.push(`Skipped entry ${at + 1} of a page: it is malformed${malformedField(error)}.`);
    }
  }
  return { ...page, repositories, itemCount: items.length, odd };
}

/** Converts an item. Throws if it is malformed. */
export function readRepository(
  adapter: Adapter,
  item: unknown,
  responseUrl: string,
): HostRepository | undefined {
  const repository = adapter.repository(item, responseUrl);
  if (repository !== undefined && !isRepositoryPath(repository.path))
    throw new Error("The path is malformed.");
  return repository;
}

/** Limits how many problems are reported, because a host may cause any number of them. */
function cutProblems(problems: readonly HostProblem[]): readonly HostProblem[] {
  if (problems.length <= maxProblems) return problems;
  const rest = problems.length - maxProblems;
  return [...problems.slice(0, maxProblems), { message: `There are ${rest} more problems.` }];
}
