import type { Service } from "#contract/service";
import { type ApiKeyOptions, apiKeyHandlers } from "./apiKeys";
import { auditHandlers } from "./auditLog";
import { backupHandlers } from "./backups";
import { blameHandlers } from "./blame";
import { branchesHandlers } from "./branches";
import { commitHandlers } from "./commits";
import { diffHandlers } from "./diff";
import { type ExampleOptions, exampleHandlers } from "./examples";
import type { History } from "./history";
import { licenseHandlers } from "./license";
import { locateHandlers } from "./locate";
import { type MemberOptions, memberHandlers } from "./members";
import { type SymbolOptions, symbolHandlers } from "./navigation/symbols";
import { queryHandlers } from "./queries";
import { repositoryHandlers } from "./repositories";
import { type SearchOptions, searchHandlers } from "./search";
import { sessionHandlers } from "./sessions";
import { sourceHandlers } from "./source";
import { systemHandlers } from "./system";
import { treeHandlers } from "./tree";

export interface ServiceOptions extends SearchOptions, ExampleOptions, SymbolOptions {
  readonly organisation: OrganisationOptions;
  readonly version: string;
  readonly history: History;
  /** What only the person at this computer may ask; it works on the house itself, which `entry` wires. */
  readonly local: Pick<Service, LocalRow>;
}

export type OrganisationOptions = ApiKeyOptions & MemberOptions;

type LocalRow =
  | "addPaths"
  | "removePaths"
  | "removeRepositories"
  | "reindex"
  | "pauseIndexing"
  | "indexing"
  | "clones"
  | "siblings"
  | "instance"
  | "startEndpoint"
  | "stopEndpoint";

/** A handler for every row of the contract. */
export function createService(options: ServiceOptions): Service {
  return {
    ...searchHandlers(options),
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
    ...systemHandlers(options.version),
    ...memberHandlers(options.organisation),
    ...apiKeyHandlers(options.organisation),
    ...sessionHandlers(options.organisation),
    ...licenseHandlers(options.organisation),
    ...auditHandlers(options.organisation.store),
    ...backupHandlers(options.organisation),
    ...options.local,
  };
}
