/**
 * Commit-graphs in the data directory, so that git does not read and parse every commit of a history. Git itself writes
 * one only when it collects garbage, and Trawl never writes to a repository. Git finds ours through an alternate object
 * directory, which contains nothing else.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runGit } from "#git/git";
import { CommitGraph } from "#git/history/commitGraph";
import type { Commit } from "#git/history/log";
import { hasReplaceRefs } from "#git/objects/objectDatabase";
import type { GitRepository } from "#git/repository";
import type { Repository } from "#model/repository";

/** Git walks a smaller history in less time than it takes to read a graph. */
const minCommits = 1000;
/** A graph without more than this share of the commits is written again. */
const maxMissingShare = 0.1;
const minRewriteIntervalMs = 10 * 60_000;
const writeTimeoutMs = 10 * 60_000;
/** Loading a larger file takes longer than git takes to count with it: 250,000 commits. */
const maxLoadedBytes = 16 * 1024 * 1024;

export class CommitGraphs {
  /** Absent: there are none. */
  readonly #folder: string | undefined;
  /** Repositories whose graph was verified in this process, or has just been written. */
  readonly #verified = new Set<number>();
  readonly #writtenAt = new Map<number, number>();

  /** Deletes the graphs of repositories that no longer exist. */
  constructor(folder: string | undefined, repositories: readonly Repository[]) {
    this.#folder = folder;
    if (folder === undefined || !existsSync(folder)) return;
    const ids = new Set(repositories.map(({ id }) => String(id)));
    for (const name of readdirSync(folder)) {
      if (!ids.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
    }
  }

  /** Returns the object directory with the graph of a repository, once it has been verified. */
  objectsOf({ id }: Repository): string | undefined {
    return this.#verified.has(id) ? this.#objects(id) : undefined;
  }

  /**
   * Counts the commits reachable from `commit`. `page` may contain the newest of them, which the graph may lack. Returns
   * `undefined` if git must count.
   */
  async count(
    { id }: Repository,
    { commonDir }: GitRepository,
    commit: string,
    page: readonly Commit[],
  ): Promise<number | undefined> {
    const ours = this.#objects(id);
    if (!hasPlainAncestry(commonDir)) return undefined;
    const files = [ours, join(commonDir, "objects")].map((objects) => objects && graphFile(objects));
    for (const file of files) {
      const bytes = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.size;
      if (file === undefined || bytes === undefined) continue;
      const isOurs = file === files[0];
      if (bytes > maxLoadedBytes && (!isOurs || this.#verified.has(id))) continue;
      const graph = await CommitGraph.read(file);
      if (isOurs && graph === undefined) this.#drop(id);
      if (graph === undefined) continue;
      if (isOurs) this.#verified.add(id);
      const total = bytes > maxLoadedBytes ? undefined : await countFrom(graph, commit, page);
      if (total !== undefined) return total;
    }
    return undefined;
  }

  /** Writes the graph of a repository in the background, if git had to count `total` commits and it would help. */
  async update({ id }: Repository, gitRepository: GitRepository, total: number): Promise<void> {
    const objects = this.#objects(id);
    const isRecent = Date.now() - (this.#writtenAt.get(id) ?? 0) < minRewriteIntervalMs;
    if (objects === undefined || total < minCommits || isRecent) return;
    this.#writtenAt.set(id, Date.now());
    try {
      if (!hasPlainAncestry(gitRepository.commonDir) || hasOwnGraph(gitRepository.commonDir)) return;
      const known = await CommitGraph.read(graphFile(objects));
      if (known !== undefined && known.size >= total * (1 - maxMissingShare)) return;
      mkdirSync(join(objects, "info"), { recursive: true });
      const args = ["commit-graph", "write", "--reachable", "--no-progress", `--object-dir=${objects}`];
      const repository = { ...gitRepository, alternateObjects: objects };
      await runGit(repository, args, { timeoutMs: writeTimeoutMs });
      if (existsSync(graphFile(objects))) this.#verified.add(id);
    } catch {
      // Without a graph, git is slower and reports the cause where it matters.
      this.#drop(id);
    }
  }

  #drop(id: number): void {
    this.#verified.delete(id);
    const objects = this.#objects(id);
    if (objects !== undefined) rmSync(objects, { recursive: true, force: true });
  }

  /** Git would split a path with a separator of paths. */
  #objects(id: number): string | undefined {
    const folder = this.#folder;
    return folder === undefined || folder.includes(delimiter) ? undefined : join(folder, String(id));
  }
}

function graphFile(objects: string): string {
  return join(objects, "info/commit-graph");
}

/** Whether git would use a graph of the repository's own, and not look for another. */
function hasOwnGraph(commonDir: string): boolean {
  const info = join(commonDir, "objects/info");
  return existsSync(join(info, "commit-graph")) || existsSync(join(info, "commit-graphs"));
}

/** Whether the parents of commits are those in the commits. Git does not use a graph otherwise. */
function hasPlainAncestry(commonDir: string): boolean {
  const changing = ["shallow", "info/grafts", "reftable"];
  return !changing.some((name) => existsSync(join(commonDir, name))) && !hasReplaceRefs(commonDir);
}

async function countFrom(
  graph: CommitGraph,
  commit: string,
  page: readonly Commit[],
): Promise<number | undefined> {
  const parentsOf = new Map(page.map(({ hash, parents }) => [hash, parents]));
  const found = new Set([commit]);
  const positions: number[] = [];
  try {
    for (const hash of found) {
      const position = graph.find(hash);
      if (position !== undefined) positions.push(position);
      else {
        const parents = parentsOf.get(hash);
        if (parents === undefined) return undefined;
        for (const parent of parents) found.add(parent);
      }
    }
    return found.size - positions.length + (await graph.countReachable(positions));
  } catch {
    return undefined;
  }
}
