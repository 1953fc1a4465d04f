import { existsSync } from "node:fs";
import type { IndexingEnd, IndexingProgress } from "#contract/local";
import { absolutePath, readConfiguration } from "./configuration";
import { type Flags, usage } from "./flags";
import { reportProgress } from "./indexingProgress";
import type { House, Instance } from "./instance";
import { allRepositories, sizeInWords, totalsInWords, totalsOf } from "./repositories";
import { harmless } from "./terminal";
import { secondsInWords } from "./units";

/** 0 where everything is indexed, 1 where a repository failed. */
export async function indexCommand(house: House, flags: Flags): Promise<number> {
  const configuration = readConfiguration(flags, house.currentFolder, house.defaultDataDir);
  const paths = [...configuration.paths, ...givenPaths(house, flags)];
  if (paths.length === 0) throw usage("index needs a PATH.");
  const startedAt = performance.now();
  const instance = await house.open(configuration, "index");
  try {
    const call = { credentials: { kind: "local" }, signal: house.interrupted } as const;
    const added = await instance.caller("addPaths", { paths }, call);
    const end = await indexed(house, instance, !flags.has("no-symbols"));
    const names = new Set(added.repositories);
    const touched = (await allRepositories(instance.caller, house.interrupted)).filter((each) =>
      names.has(each.repoName),
    );
    const failed = end.failed.filter((each) => names.has(each.repository));
    const totals = totalsOf(touched);
    const durationMs = performance.now() - startedAt;
    const { print, isScreen } = house.terminal;
    if (flags.has("json")) {
      const answer = { totals, durationMs: Math.round(durationMs), failed, repositories: touched };
      await print(`${JSON.stringify(answer, undefined, isScreen ? 2 : undefined)}\n`);
    } else {
      const rows = touched.map((each) => `${harmless(each.repoName)}: ${sizeInWords(each)}\n`);
      const failures = failed.length === 0 ? "" : `; ${failed.length} failed`;
      await print(
        `${rows.join("")}Indexed ${totalsInWords(totals)}, in ${secondsInWords(durationMs)}${failures}\n`,
      );
    }
    return failed.length === 0 ? 0 : 1;
  } finally {
    await instance.close();
  }
}

/** Waits, showing progress, until nothing is left to index, and says what has failed. */
export async function indexed(house: House, instance: Instance, withSymbols: boolean): Promise<IndexingEnd> {
  const { terminal, interrupted } = house;
  const report = reportProgress(terminal);
  try {
    const emit = (event: IndexingProgress) => report.update(event);
    const end = await instance.caller(
      "indexing",
      { withSymbols },
      { credentials: { kind: "local" }, signal: interrupted, emit },
    );
    report.stop();
    for (const { repository, error } of end.failed) {
      terminal.say(`trawl: ${harmless(repository)} could not be indexed: ${harmless(error)}\n`);
    }
    return end;
  } finally {
    report.stop();
  }
}

/** The words of the command line as absolute paths; one that is not there is an error of the person's. */
export function givenPaths(house: House, flags: Flags): string[] {
  return flags.words.map((word) => {
    const path = absolutePath(word, house.currentFolder);
    if (!existsSync(path)) throw usage(`There is nothing at ${path}.`);
    return path;
  });
}
