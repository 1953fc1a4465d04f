import type { RepositoryItem } from "#contract/repositories";
import { readConfiguration } from "./configuration";
import { type Flags, usage } from "./flags";
import type { House, Instance } from "./instance";
import { allRepositories, sizeInWords, totalsInWords, totalsOf } from "./repositories";
import { harmless, type Paint, painter } from "./terminal";
import { bytesInWords, counted } from "./units";

export async function statusCommand(house: House, flags: Flags): Promise<number> {
  if (flags.words.length > 0) throw usage(`status takes no "${flags.words[0]}".`);
  const configuration = readConfiguration(flags, house.currentFolder, house.defaultDataDir);
  const instance = await house.open(configuration, "read");
  try {
    const repositories = await allRepositories(instance.caller, house.interrupted);
    const totals = totalsOf(repositories);
    if (flags.has("json")) {
      const answer = {
        dataDir: configuration.dataDir,
        served: instance.endpoint ?? null,
        totals,
        repositories,
      };
      const indent = house.terminal.isScreen ? 2 : undefined;
      await house.terminal.print(`${JSON.stringify(answer, undefined, indent)}\n`);
      return 0;
    }
    const paint = painter(house.terminal.colours);
    const lines = [
      `Index ${configuration.dataDir}`,
      served(instance),
      "",
      ...repositories.flatMap((repository) => describe(repository, paint)),
      ...(repositories.length === 0 ? ['Nothing is indexed. "trawl index PATH" does that.'] : []),
      totalsInWords(totals),
    ];
    await house.terminal.print(`${lines.join("\n")}\n`);
    return 0;
  } finally {
    await instance.close();
  }
}

function served({ endpoint }: Instance): string {
  if (endpoint === undefined) return "Served by no running Trawl";
  return `Served by process ${endpoint.pid}${endpoint.url === undefined ? "" : ` at ${endpoint.url}`} (Trawl ${endpoint.version})`;
}

function describe(repository: RepositoryItem, paint: Paint): string[] {
  const lines = [
    paint("bold", harmless(repository.repoName)),
    `  ${state(repository, paint)}`,
    `  ${sizeInWords(repository)}, ${bytesInWords(repository.indexBytes)} of index`,
  ];
  if (repository.skippedCount > 0) {
    lines.push(
      `  ${counted(repository.skippedCount, "file")} found by name only (binary, too large, not text)`,
    );
  }
  if (repository.isPolled)
    lines.push("  polled: the system watches no more folders, so changes may take some seconds to be found");
  return [...lines, ""];
}

function state(repository: RepositoryItem, paint: Paint): string {
  const since = repository.indexedAt === undefined ? "" : `, indexed ${repository.indexedAt}`;
  switch (repository.state) {
    case "ready":
      return paint("good", "ready") + since;
    case "failed":
      return `${paint("bad", "failed")}: ${harmless(repository.lastError ?? "no reason known")}${since}`;
    case "indexing":
    case "cloning":
      return `${repository.state}, ${Math.floor(repository.progress * 100)} %${since}`;
    case "queued":
    case "stale":
      return repository.state + since;
  }
}
