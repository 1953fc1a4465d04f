/** Asks a code host who may read a repository. */
import { foldCase } from "#base/foldCase";
import type { HostProblem, HostRepository, Readers } from "./codeHost";
import { absenceStatus, HostFailure, problemOf } from "./failure";
import type { HostResponse, Requests } from "./requests";
import { isBelow } from "./urls";

/** How a host is asked for the readers of a repository, in the way that takes the fewest requests. */
export type ReaderApi =
  | {
      /** The host lists all who may read a repository, directly or through a group. */
      readonly kind: "list";
      url(repository: HostRepository): string;
      /** Statuses with which the host refuses, besides those that mean the same on all hosts. */
      readonly refusals?: readonly number[];
      /** Throws if the response is not a page. */
      page(response: HostResponse): ReaderPage;
    }
  | {
      /** The host only says what one person may do. */
      readonly kind: "each";
      url(repository: HostRepository, login: string): string;
      /** Throws if the response is not what the API describes. */
      mayRead(response: HostResponse): boolean;
    };

export interface ReaderPage {
  readonly logins: readonly string[];
  /** URL of the next page; absent after the last one. */
  readonly next?: string | undefined;
  /** Whether more pages could follow although the page itself does not change. */
  readonly mayGrow?: boolean;
}

const maxPages = 1000;

export interface ReaderRequest {
  readonly repository: HostRepository;
  /** Only these are asked for, and returned. */
  readonly logins: readonly string[];
  readonly requests: Requests;
  readonly signal: AbortSignal;
}

/** Never returns a person whom the host did not name. Rejects with CANCELLED only. */
export async function askReaders(api: ReaderApi, request: ReaderRequest): Promise<Readers> {
  try {
    const found = api.kind === "list" ? await listReaders(api, request) : await askEach(api, request);
    return { kind: "known", logins: found };
  } catch (error) {
    return readersAfter(problemOf(error), api.kind === "list" ? api.refusals : []);
  }
}

async function listReaders(
  { url: firstUrl, page: readPage }: Extract<ReaderApi, { readonly kind: "list" }>,
  { repository, logins, requests, signal }: ReaderRequest,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const visited = new Set<string>();
  for (let url: string | undefined = firstUrl(repository); url !== undefined; ) {
    if (visited.has(url) || visited.size === maxPages || !isBelow(url, requests.base))
      throw new HostFailure({ message: "The list of those who may read a repository does not end." });
    visited.add(url);
    const page: ReaderPage = await requests.getPage(url, readPage, ({ mayGrow }) => !mayGrow, signal);
    for (const login of page.logins) found.add(foldCase(login));
    url = page.next;
  }
  return logins.filter((login) => found.has(foldCase(login)));
}

async function askEach(
  { url, mayRead }: Extract<ReaderApi, { readonly kind: "each" }>,
  { repository, logins, requests, signal }: ReaderRequest,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const login of logins) {
    try {
      if (await requests.get(url(repository, login), mayRead, signal)) found.push(login);
    } catch (error) {
      // The host knows no such person, or refuses to say so for this one.
      if (absenceStatus(error) === undefined) throw error;
    }
  }
  return found;
}

/**
 * Returns what a failed request says: a refusal if the host has decided that these credentials may not know the readers,
 * because they were revoked, lack the right, or the repository is gone. A host that is busy, limits requests or does not
 * respond has decided nothing.
 */
export function readersAfter(problem: HostProblem, moreRefusals: readonly number[] = []): Readers {
  const { status, retryAt } = problem;
  const refusals = [401, 403, 404, 410, 451, ...moreRefusals];
  const isRefused = retryAt === undefined && refusals.includes(status ?? 0);
  return { kind: isRefused ? "refused" : "unknown", problem };
}
