/** A code host whose listing a test sets, for repositories that a real git server serves. */
import type { CodeHost, HostProblem, HostRepository, Readers } from "#hosts/codeHost";
import { readSecret, Secret } from "#hosts/secret";
import { readWebhook } from "#hosts/webhook";
import type { HostAccess, MirrorConnection } from "#mirrors/connection";
import type { GitServer } from "#test/support/gitServer";

export interface ListedHost extends HostAccess {
  /** By id; without those that were deleted. */
  readonly repositories: Map<string, HostRepository>;
  /** Fails the whole listing. */
  problem: HostProblem | undefined;
  /** How lists end. */
  outcome: "complete" | "partial" | "failed";
  /** Says who may read a repository. */
  readersOf: (hostId: string, logins: readonly string[]) => Readers;
  credentials: { readonly user: string; readonly password: string } | undefined;
  /** Adds a repository that is served at `path`, or changes it. */
  put(hostId: string, path: string, change?: Partial<HostRepository>): void;
  /** Connection settings that fit the server. */
  readonly connection: MirrorConnection;
}

/** `fetchMin`: the shortest time between fetches, in milliseconds. */
export function listedHost(server: GitServer, fetchMin: number): ListedHost {
  const describe = (hostId: string, path: string, more: Partial<HostRepository>): HostRepository => ({
    hostId,
    path,
    cloneUrl: `${server.origin}/${path}.git`,
    webUrl: `${server.origin}/${path}`,
    visibility: "private",
    isFork: false,
    isArchived: false,
    isDisabled: false,
    ...more,
  });
  const host: ListedHost = {
    repositories: new Map(),
    problem: undefined,
    outcome: "complete",
    readersOf: () => ({ kind: "known", logins: [] }),
    credentials: undefined,
    connection: {
      type: "gitea",
      url: server.origin,
      allowHttp: true,
      sync: { listEvery: 3_600_000, fetchMin, fetchMax: 4 * fetchMin, gitConcurrency: 4 },
      revisions: { branches: ["main", "trunk"], tags: ["**"], newestTags: 20 },
      history: "full",
      limits: { oneRepositoryBytes: 20e9 },
      onRemoved: { keepDays: 7, confirmations: 2, maxShare: 0.1 },
    },
    put(hostId, path, more = {}) {
      host.repositories.set(
        hostId,
        describe(hostId, path, {
          ...host.repositories.get(hostId),
          hostId,
          path,
          cloneUrl: `${server.origin}/${path}.git`,
          ...more,
        }),
      );
    },
    openHost: () => openListedHost(host),
    readSecret,
    readWebhook,
    selectRepositories: (_connection, repositories) => ({
      kept: repositories.filter(({ isDisabled }) => !isDisabled),
      excluded: repositories
        .filter(({ isDisabled }) => isDisabled)
        .map((repository) => ({ repository, reason: "It is disabled." })),
    }),
  };
  return host;
}

function openListedHost(host: ListedHost): CodeHost {
  let requestCount = 0;
  return {
    get requestCount() {
      return requestCount;
    },
    async identify() {
      requestCount++;
      return host.problem ?? { account: "svc" };
    },
    async *list() {
      requestCount++;
      const { outcome } = host;
      const repositories = outcome === "failed" ? [] : [...host.repositories.values()];
      const problems = outcome === "complete" ? [] : [{ message: "Internal error.", status: 500 }];
      yield { scope: "acme", outcome, repositories, problems };
    },
    async lookUp({ hostId }) {
      requestCount++;
      const found = host.repositories.get(hostId);
      return found === undefined ? { kind: "gone", status: 404 } : { kind: "present", repository: found };
    },
    async readers({ hostId }, logins) {
      requestCount++;
      return host.readersOf(hostId, logins);
    },
    async gitCredentials() {
      const { credentials } = host;
      return credentials && { user: credentials.user, password: new Secret(credentials.password) };
    },
    async close() {},
  };
}
