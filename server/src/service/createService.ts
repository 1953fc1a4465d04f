import type { Service } from "#contract/service";
import { blameHandlers } from "#service/history/blame";
import { branchesHandlers } from "#service/history/branches";
import { commitHandlers } from "#service/history/commits";
import { diffHandlers } from "#service/history/diff";
import type { History } from "#service/history/history";
import { locateHandlers } from "#service/history/locate";
import { sourceHandlers } from "#service/history/source";
import { treeHandlers } from "#service/history/tree";
import { type ApiKeyOptions, apiKeyHandlers } from "#service/organization/apiKeys";
import { auditHandlers } from "#service/organization/auditLog";
import { backupHandlers } from "#service/organization/backups";
import { licenseHandlers } from "#service/organization/license";
import { type LoginHandlerOptions, loginHandlers } from "#service/organization/login";
import { type MemberOptions, memberHandlers } from "#service/organization/members";
import { sessionHandlers } from "#service/organization/sessions";
import { type ExampleOptions, exampleHandlers } from "#service/queries/examples";
import { queryHandlers } from "#service/queries/queries";
import { repositoryHandlers } from "#service/repositories/repositories";
import { countHandlers } from "#service/search/count";
import { type SearchOptions, searchHandlers } from "#service/search/search";
import type { Metrics } from "./metrics";
import { type SymbolOptions, symbolHandlers } from "./navigation/symbols";
import { systemHandlers } from "./system";

export interface ServiceOptions extends SearchOptions, ExampleOptions, SymbolOptions {
  readonly organization: OrganizationHandlerOptions;
  readonly version: string;
  readonly metrics: Metrics;
  readonly history: History;
  /** Handlers of the local user's operations. They act on the running instance, so `instance` provides them. */
  readonly local: Pick<Service, LocalOperation>;
}

export type OrganizationHandlerOptions = ApiKeyOptions & MemberOptions & LoginHandlerOptions;

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
  | "instance"
  | "startEndpoint"
  | "stopEndpoint";

/** Returns a handler for each operation of the contract. */
export function createService(options: ServiceOptions): Service {
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
    ...locateHandlers(options.history),
    ...systemHandlers(options.version, options.metrics),
    ...memberHandlers(options.organization),
    ...apiKeyHandlers(options.organization),
    ...sessionHandlers(options.organization),
    ...loginHandlers(options.organization),
    ...licenseHandlers(options.organization),
    ...auditHandlers(options.organization.store),
    ...backupHandlers(options.organization),
    ...options.local,
  };
}
