import { existsSync } from "node:fs";
import { usageError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type { IndexingEnd, IndexingProgress } from "#contract/local";
import type { RequestInput } from "#contract/service";
import { hasAddedConnections } from "#instance/connectionsFile";
import type { Instance } from "#instance/instance";
import { absolutePath } from "#instance/settingValues";
import { readConfiguration } from "./configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { formatDuration } from "./format";
import { reportProgress } from "./indexingProgress";
import { allRepositories, formatSize, formatTotals, totalsOf } from "./repositories";

/** Returns 0 if everything is indexed, 1 if a repository failed. */
export async function indexCommand(context: CommandContext, flags: Flags): Promise<number> {
  const configuration = readConfiguration(flags, context.currentFolder, context.defaultDataDir);
  const paths = [...configuration.paths, ...readPathArguments(context, flags)];
  if (paths.length === 0) {
    const hasHosts =
      Object.keys(configuration.connections).length > 0 || hasAddedConnections(configuration.dataDir);
    const hint = hasHosts ? ' To clone and index repositories of code hosts, run "trawl hosts sync".' : "";
    throw usageError(`index requires a PATH.${hint}`);
  }
  const startedAt = performance.now();
  const withSymbols = !flags.has("no-symbols");
  const instance = await context.open(configuration, withSymbols ? "index" : "indexText");
  try {
    const call = { credentials: { kind: "local" }, signal: context.interrupted } as const;
    const added = await instance.caller("addPaths", { paths }, call);
    const end = await waitForIndexing(context, instance, { withSymbols, withDependencies: true });
    const names = new Set(added.repositories);
    const indexed = (await allRepositories(instance.caller, context.interrupted)).filter((each) =>
      names.has(each.repoName),
    );
    const failed = end.failed.filter((each) => names.has(each.repository));
    const totals = totalsOf(indexed);
    const durationMs = performance.now() - startedAt;
    const { print, isTty } = context.terminal;
    if (flags.has("json")) {
      const output = { totals, durationMs: Math.round(durationMs), failed, repositories: indexed };
      await print(`${JSON.stringify(output, undefined, isTty ? 2 : undefined)}\n`);
    } else {
      const rows = indexed.map((each) => `${sanitize(each.repoName)}: ${formatSize(each)}\n`);
      const failures = failed.length === 0 ? "" : `; ${failed.length} failed`;
      await print(
        `${rows.join("")}Indexed ${formatTotals(totals)}, in ${formatDuration(durationMs)}${failures}\n`,
      );
    }
    return failed.length === 0 ? 0 : 1;
  } finally {
    await instance.close();
  }
}

/** Waits until indexing is done, shows its progress, and reports the repositories that failed. */
export async function waitForIndexing(
  context: CommandContext,
  instance: Instance,
  scope: RequestInput<"indexing"> = {},
): Promise<IndexingEnd> {
  const { terminal, interrupted } = context;
  const report = reportProgress(terminal);
  try {
    const emit = (event: IndexingProgress) => report.update(event);
    const end = await instance.caller("indexing", scope, {
      credentials: { kind: "local" },
      signal: interrupted,
      emit,
    });
    report.stop();
    for (const { repository, error } of end.failed) {
      terminal.printError(`trawl: Cannot index ${sanitize(repository)}: ${sanitize(error)}\n`);
    }
    return end;
  } finally {
    report.stop();
  }
}

/** Returns the positional arguments as absolute paths. Throws USAGE for a path that does not exist. */
export function readPathArguments(context: CommandContext, flags: Flags): string[] {
  return flags.positionals.map((word) => {
    const path = absolutePath(word, context.currentFolder);
    if (!existsSync(path)) throw usageError(`${path} does not exist.`);
    return path;
  });
}
