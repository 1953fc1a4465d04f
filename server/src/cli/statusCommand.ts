import { usageError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type { InstanceState } from "#contract/editor";
import type { RepositoryItem } from "#contract/repositories";
import type { Instance } from "#instance/instance";
import { readConfiguration } from "./configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { formatBytes, formatCount } from "./format";
import { allRepositories, formatSize, formatTotals, totalsOf } from "./repositories";
import { createPainter, type Paint } from "./terminal";

export async function statusCommand(context: CommandContext, flags: Flags): Promise<number> {
  if (flags.positionals.length > 0)
    throw usageError(`status takes no arguments, but got "${flags.positionals[0]}".`);
  const configuration = readConfiguration(flags, context.currentFolder, context.defaultDataDir);
  const instance = await context.open(configuration, "read");
  try {
    const repositories = await allRepositories(instance.caller, context.interrupted);
    const totals = totalsOf(repositories);
    const call = { credentials: { kind: "local" }, signal: context.interrupted } as const;
    const state = await instance.caller("instance", {}, call);
    const { configurationProblem, indexBytes, maxIndexBytes, evicted, memoryBytes, maxMemoryBytes } = state;
    const memory = { memoryBytes, ...(maxMemoryBytes === undefined ? {} : { maxMemoryBytes }) };
    const diskSpace = { indexBytes, ...(maxIndexBytes === undefined ? {} : { maxIndexBytes }), evicted };
    if (flags.has("json")) {
      const output = {
        dataDir: configuration.dataDir,
        served: instance.endpoint ?? null,
        ...(configurationProblem === undefined ? {} : { configurationProblem }),
        totals,
        diskSpace,
        ...(instance.endpoint === undefined ? {} : { memory }),
        repositories,
      };
      const indent = context.terminal.isTty ? 2 : undefined;
      await context.terminal.print(`${JSON.stringify(output, undefined, indent)}\n`);
      return 0;
    }
    const paint = createPainter(context.terminal.hasColors);
    const lines = [
      `Index ${configuration.dataDir}`,
      describeServer(instance),
      ...(configurationProblem === undefined ? [] : [describeConfigurationProblem(configurationProblem)]),
      "",
      ...repositories.flatMap((repository) => describeRepository(repository, paint)),
      ...(repositories.length === 0 ? ['Nothing is indexed. Run "trawl index PATH".'] : []),
      formatTotals(totals),
      describeDiskSpace(diskSpace),
      ...(instance.endpoint === undefined ? [] : [describeMemory(memory)]),
    ];
    await context.terminal.print(`${lines.join("\n")}\n`);
    return 0;
  } finally {
    await instance.close();
  }
}

/** Describes why the running server does not use the current configuration file. */
export function describeConfigurationProblem(problem: string): string {
  return `The configuration file has changed, but its previous connections remain in use:\n${sanitize(problem)}`;
}

/** `Disk space of the index: 15.1 MB of 20 MB (maxIndexBytes), 3 repositories not indexed` */
function describeDiskSpace({
  indexBytes,
  maxIndexBytes,
  evicted,
}: Pick<InstanceState, "indexBytes" | "maxIndexBytes" | "evicted">): string {
  const limit = maxIndexBytes === undefined ? "" : ` of ${formatBytes(maxIndexBytes)} (maxIndexBytes)`;
  const missing = evicted === 0 ? "" : `, ${formatCount(evicted, "repository", "repositories")} not indexed`;
  return `Disk space of the index: ${formatBytes(indexBytes)}${limit}${missing}`;
}

/** `Memory of the server: 380 MB of 500 MB (maxMemoryBytes)` */
function describeMemory({
  memoryBytes,
  maxMemoryBytes,
}: Pick<InstanceState, "memoryBytes" | "maxMemoryBytes">): string {
  const limit = maxMemoryBytes === undefined ? "" : ` of ${formatBytes(maxMemoryBytes)} (maxMemoryBytes)`;
  return `Memory of the server: ${formatBytes(memoryBytes)}${limit}`;
}

function describeServer({ endpoint }: Instance): string {
  if (endpoint === undefined) return "Not served: no Trawl is running";
  return `Served by process ${endpoint.pid}${endpoint.url === undefined ? "" : ` at ${endpoint.url}`} (Trawl ${endpoint.version})`;
}

function describeRepository(repository: RepositoryItem, paint: Paint): string[] {
  const lines = [
    paint("bold", sanitize(repository.repoName)),
    `  ${describeState(repository, paint)}`,
    `  ${formatSize(repository)}, ${formatBytes(repository.indexBytes)} of index`,
  ];
  if (repository.skippedCount > 0) {
    lines.push(
      `  ${formatCount(repository.skippedCount, "file")} found by name only (binary, too large, not text)`,
    );
  }
  const { dependencyCount = 0, dependencyProblem } = repository;
  if (dependencyCount > 0) lines.push(`  ${formatCount(dependencyCount, "package")} indexed as dependencies`);
  if (dependencyProblem !== undefined)
    lines.push(`  ${paint("bad", "some dependencies are missing")}: ${sanitize(dependencyProblem)}`);
  if (repository.isPolled)
    lines.push(
      "  polled: the system's limit on watched folders is reached, so changes take several seconds to appear",
    );
  return [...lines, ""];
}

function describeState(repository: RepositoryItem, paint: Paint): string {
  const since = repository.indexedAt === undefined ? "" : `, indexed ${repository.indexedAt}`;
  const problem = repository.lastError === undefined ? "" : `. ${sanitize(repository.lastError)}`;
  switch (repository.state) {
    case "ready":
      return `${paint("good", "ready")}${since}${problem}`;
    case "failed":
      return `${paint("bad", "failed")}: ${sanitize(repository.lastError ?? "unknown reason")}${since}`;
    case "indexing":
    case "cloning":
      return `${repository.state}, ${Math.floor(repository.progress * 100)}%${since}`;
    case "evicted":
      return `${paint("bad", "not indexed")}: ${sanitize(repository.evictedReason ?? "the index is full")}`;
    case "queued":
    case "stale":
      return repository.state + since;
  }
}
