/**
 * Commit-graphs in the data directory, so that git does not read and parse every commit of a history. Git itself writes
 * one only when it collects garbage, and Trawl never writes to a repository. Git finds ours through an alternate object
 * directory, which contains nothing else.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, type Stats, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Limiter } from "#base/limiter";
import { runGitUnqueued } from "#git/git";
import type { Commit } from "#git/history/commit";
import { CommitGraph } from "#git/history/commitGraph";
import { hasReplaceRefs, hasWholeHistory } from "#git/objects/objectDatabase";
import type { GitRepository } from "#git/repository";
import type { Repository } from "#model/repository";

/** Git walks a smaller history in less time than it takes to read a graph. */
const minCommits = 1000;
/** A repository with fewer objects in its packs has a short history. */
const minPackedObjects = 5000;
/** Of one object in the index of a pack. */
const indexedObjectBytes = 28;
/** A graph that is smaller than the history by more than this share is written again. */
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
  readonly #verifications = new Map<number, Promise<void>>();
  /** Writing may take minutes, and git's other short commands must not wait for it. */
  readonly #writing = new Limiter(1);
  /** The last graph that was read. */
  #loaded: { readonly key: string; readonly graph: CommitGraph } | undefined;

  /** Deletes the graphs of repositories that no longer exist. */
  constructor(folder: string | undefined, repositories: readonly Repository[]) {
    this.#folder = folder;
    if (folder === undefined || !existsSync(folder)) return;
    const ids = new Set(repositories.map(({ id }) => String(id)));
    try {
      for (const name of readdirSync(folder)) {
        if (!ids.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
      }
    } catch {
      // They take some space until the next start.
    }
  }

  /** Returns the object directory with the graph of a repository, once it has been verified. */
  objectsOf({ id }: Repository): string | undefined {
    return this.#verified.has(id) ? this.#objects(id) : undefined;
  }

  /** Before the first request about a repository, verifies its graph in the background. */
  prepare({ id }: Repository): void {
    const objects = this.#objects(id);
    if (objects === undefined || this.#verifications.has(id)) return;
    this.#verifications.set(id, this.#verify(id, objects));
  }

  /** Writes a graph in the background if there is none and the history is probably long. Call it before git walks one. */
  async writeFirst(repository: Repository, gitRepository: GitRepository): Promise<void> {
    await this.#verifications.get(repository.id);
    if (this.#verified.has(repository.id) || packedObjects(gitRepository.commonDir) < minPackedObjects)
      return;
    await this.update(repository, gitRepository, minCommits, []);
  }

  /** Deletes a damaged graph. Never rejects. */
  async #verify(id: number, objects: string): Promise<void> {
    const isValid = (await CommitGraph.read(graphFile(objects))) !== undefined;
    if (isValid) this.#verified.add(id);
    else this.#drop(id);
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
    await this.#verifications.get(id);
    if (!hasPlainAncestry(commonDir)) return undefined;
    const folders = [this.#verified.has(id) ? this.#objects(id) : undefined, join(commonDir, "objects")];
    for (const file of folders.flatMap((objects) => (objects === undefined ? [] : [graphFile(objects)]))) {
      const stat = statFile(file);
      if (stat === undefined || stat.size > maxLoadedBytes) continue;
      const key = `${file} ${stat.mtimeMs} ${stat.size}`;
      const graph = this.#loaded?.key === key ? this.#loaded.graph : await CommitGraph.read(file);
      if (graph === undefined) continue;
      this.#loaded = { key, graph };
      const count = await countFrom(graph, commit, page);
      if (count !== undefined) return count;
    }
    return undefined;
  }

  /**
   * Writes the graph of a repository that has `total` commits, unless it has one of about that size that contains some of
   * the newest commits, `page`. Never rejects.
   */
  async update(
    { id }: Repository,
    gitRepository: GitRepository,
    total: number,
    page: readonly Commit[],
  ): Promise<void> {
    const objects = this.#objects(id);
    const isRecent = Date.now() - (this.#writtenAt.get(id) ?? 0) < minRewriteIntervalMs;
    if (objects === undefined || total < minCommits || isRecent) return;
    this.#writtenAt.set(id, Date.now());
    try {
      if (!hasPlainAncestry(gitRepository.commonDir) || hasOwnGraph(gitRepository.commonDir)) return;
      const known = await CommitGraph.read(graphFile(objects));
      const isCurrent = page.some(({ hash }) => known?.find(hash) !== undefined);
      if (isCurrent && (known?.size ?? 0) >= total * (1 - maxMissingShare)) return;
      mkdirSync(join(objects, "info"), { recursive: true });
      const args = ["commit-graph", "write", "--reachable", "--no-progress", `--object-dir=${objects}`];
      const repository = { ...gitRepository, alternateObjects: objects };
      await this.#writing.run(() => runGitUnqueued(repository, args, { timeoutMs: writeTimeoutMs }));
      if (existsSync(graphFile(objects))) this.#verified.add(id);
    } catch {
      // Without a graph, git is slower and reports the cause where it matters.
      this.#drop(id);
    }
  }

  #drop(id: number): void {
    this.#verified.delete(id);
    const objects = this.#objects(id);
    if (objects === undefined) return;
    try {
      rmSync(objects, { recursive: true, force: true });
    } catch {
      // Git writes a new one over it.
    }
  }

  /** Returns `undefined` for a path that git would split, because it contains what separates paths in a variable. */
  #objects(id: number): string | undefined {
    const folder = this.#folder;
    return folder === undefined || folder.includes(delimiter) ? undefined : join(folder, String(id));
  }
}

/** Estimates the number of objects in packs by the size of their indexes. */
function packedObjects(commonDir: string): number {
  try {
    const folder = join(commonDir, "objects/pack");
    const indexes = readdirSync(folder).filter((name) => name.endsWith(".idx"));
    return indexes.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / indexedObjectBytes;
  } catch {
    return 0;
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

function statFile(path: string): Stats | undefined {
  try {
    const stat = statSync(path);
    return stat.isFile() ? stat : undefined;
  } catch {
    return undefined;
  }
}

/** Whether no grafts, shallow boundaries or replacements change the parents of commits. Git uses no graph otherwise. */
function hasPlainAncestry(commonDir: string): boolean {
  try {
    const mayReplace = existsSync(join(commonDir, "reftable")) || hasReplaceRefs(commonDir);
    return hasWholeHistory(commonDir) && !mayReplace;
  } catch {
    return false;
  }
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
