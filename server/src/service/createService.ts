import type { Service } from "#contract/service";
import { repositoryHandlers } from "./repositories";
import { type SearchOptions, searchHandlers } from "./search";
import { systemHandlers } from "./system";

export interface ServiceOptions extends SearchOptions {
  readonly version: string;
  /** What only the person at this computer may ask; it works on the house itself, which `entry` wires. */
  readonly local: Pick<Service, "addPaths" | "removePaths" | "indexing">;
}

/** A handler for every row of the contract. */
export function createService(options: ServiceOptions): Service {
  return {
    ...searchHandlers(options),
    ...repositoryHandlers(options.repositories),
    ...systemHandlers(options.version),
    ...options.local,
  };
}
