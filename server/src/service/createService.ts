import type { RepositoryScope } from "#contract/access";
import type { Service } from "#contract/service";
import { blameHandlers } from "#service/history/blame";
import { branchesHandlers } from "#service/history/branches";
import { commitHandlers } from "#service/history/commits";
import { diffHandlers } from "#service/history/diff";
import type { History } from "#service/history/history";
import { locateHandlers } from "#service/history/locate";
import { remoteHandlers } from "#service/history/remoteHistory";
import { sourceHandlers } from "#service/history/source";
import { treeHandlers } from "#service/history/tree";
import { type ApiKeyOptions, apiKeyHandlers } from "#service/organization/apiKeys";
import { auditHandlers } from "#service/organization/auditLog";
import { backupHandlers, type SavedState } from "#service/organization/backups";
import { type EditorLoginOptions, editorLoginHandlers } from "#service/organization/editorLogin";
import { licenseHandlers } from "#service/organization/license";
import { type LoginHandlerOptions, loginHandlers } from "#service/organization/login";
import { type MemberOptions, memberHandlers } from "#service/organization/members";
import { sessionHandlers } from "#service/organization/sessions";
import { type ExampleOptions, exampleHandlers } from "#service/queries/examples";
import { queryHandlers } from "#service/queries/queries";
import { repositoryHandlers } from "#service/repositories/repositories";
import type { CodeHostRights } from "#service/repositories/repositoryView";
import { SharedContents } from "#service/repositories/sharedContents";
import { visibleRepositories } from "#service/repositories/visibleRepositories";
import { countHandlers } from "#service/search/count";
import { type SearchOptions, searchHandlers } from "#service/search/search";
import { visibleEngine } from "#service/search/visibleEngine";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import type { Metrics } from "./metrics";
import { ParsedCode } from "./navigation/parsedCode";
import { type SymbolOptions, symbolHandlers } from "./navigation/symbols";
import { systemHandlers } from "./system";

export interface ServiceOptions extends SearchOptions, ExampleOptions, Omit<SymbolOptions, "code"> {
  readonly parsers: SymbolParsers;
  readonly organization: OrganizationHandlerOptions;
  readonly version: string;
  readonly metrics: Metrics;
  readonly history: History;
  readonly savedState: SavedState;
  /** Returns what code hosts let callers see; `undefined` if there are none. */
  readonly codeHostRights?: () => CodeHostRights | undefined;
  /** Handlers of the local user's operations. They act on the running instance, so `instance` provides them. */
  readonly local: Pick<Service, LocalOperation>;
  /** Returns why this process cannot answer requests yet. */
  readonly problem?: () => string | undefined;
}

export type OrganizationHandlerOptions = ApiKeyOptions &
  MemberOptions &
  LoginHandlerOptions &
  EditorLoginOptions;

type LocalOperation =
  | "addPaths"
  | "removePaths"
  | "removeRepositories"
  | "reindex"
  | "pauseIndexing"
  | "indexing"
  | "clones"
  | "siblings"
  | "codeHosts"
  | "codeHostRepositories"
  | "planCodeHost"
  | "syncCodeHost"
  | "confirmCodeHost"
  | "checkCodeHost"
  | "addCodeHost"
  | "removeCodeHost"
  | "holdCodeHostTokens"
  | "reloadCodeHosts"
  | "receiveWebhook"
  | "instance"
  | "startEndpoint"
  | "stopEndpoint";

/** Returns the service for callers who see what a scope grants; `undefined` grants everything. */
export type Services = (sees: RepositoryScope | undefined) => Service;

/**
 * Services for limited callers beyond this number are built again when they are needed. With code hosts that decide who
 * sees what, each member has one; what is large in them is shared.
 */
const maxLimitedServices = 2000;

/**
 * Creates the services. Handlers reach repositories, the index and git only through what they are created with, and this
 * function is the only one that creates them. So what a caller may see is decided here, once for all operations.
 */
export function createServices(options: ServiceOptions): Services {
  const code = new ParsedCode(options.parsers);
  const whole = createService({ ...options, code });
  const limited = new Map<string, Service>();
  const shared = new SharedContents(options.repositories);
  return (sees) => {
    if (sees === undefined) return whole;
    const key = JSON.stringify(sees);
    const service = limited.get(key) ?? createLimitedService({ ...options, code }, sees, shared);
    // The least recently used one is the first.
    limited.delete(key);
    limited.set(key, service);
    const [oldest] = limited.keys();
    if (limited.size > maxLimitedServices && oldest !== undefined) limited.delete(oldest);
    return service;
  };
}

function createLimitedService(
  options: ServiceOptions & SymbolOptions,
  sees: RepositoryScope,
  shared: SharedContents,
): Service {
  const { codeHostRights } = options;
  const rights: CodeHostRights | undefined = codeHostRights && {
    get revision() {
      return codeHostRights()?.revision ?? -1;
    },
    // Without connections, there is nothing that a host could hide.
    visibility: (repository, user) => codeHostRights()?.visibility(repository, user) ?? "visible",
  };
  const repositories = visibleRepositories(options.repositories, sees, rights, shared);
  const engine = visibleEngine(options.engine, repositories);
  const history = options.history.seenThrough(repositories);
  return createService({ ...options, repositories, engine, history });
}

/** Returns a handler for each operation of the contract. */
function createService(options: ServiceOptions & SymbolOptions): Service {
  return {
    ...searchHandlers(options),
    ...countHandlers(options),
    ...symbolHandlers(options),
    ...queryHandlers(options),
    ...exampleHandlers(options),
    ...repositoryHandlers(options.repositories),
    ...branchesHandlers(options.history),
    ...treeHandlers(options.history),
    ...sourceHandlers(options.history),
    ...blameHandlers(options.history),
    ...commitHandlers(options.history),
    ...diffHandlers(options.history),
    ...(options.history.remote === undefined ? {} : remoteHandlers(options.history, options.history.remote)),
    ...locateHandlers(options.history),
    ...systemHandlers(options),
    ...memberHandlers(options.organization),
    ...apiKeyHandlers(options.organization),
    ...sessionHandlers(options.organization),
    ...loginHandlers(options.organization),
    ...editorLoginHandlers(options.organization),
    ...licenseHandlers(options.organization),
    ...auditHandlers(options.organization.store),
    ...backupHandlers({ ...options.organization, savedState: options.savedState }),
    ...options.local,
  };
}
