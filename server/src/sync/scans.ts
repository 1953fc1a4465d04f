/** Looking through PATHs: what is new under them becomes known, and what is no longer there is forgotten. */
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative, sep } from "node:path";
import { isServiceError } from "#base/error";
import type { Catalogue } from "#catalogue/catalogue";
import { bytePath } from "#git/bytePath";
import { repositoryAround, type ScanChoice } from "#git/discover";
import { isIgnored } from "#git/workingTree";
import type { CodeHostType, Repository, RepositoryId } from "#model/repository";
import type { Log } from "#platform/log";
import { lookThrough } from "./places";

export interface ScansOptions {
  readonly catalogue: Catalogue;
  readonly hosts: Readonly<Record<string, CodeHostType>>;
  /** May be another one with the next look. */
  readonly choice: () => ScanChoice;
  readonly log: Log;
  /** A PATH was looked through: new repositories appear in these folders. */
  readonly onLooked: (path: string, around: readonly string[]) => void;
  /** The catalogue has forgotten these. */
  readonly onGone: (repositories: readonly Repository[]) => Promise<void>;
}

export class Scans {
  readonly #options: ScansOptions;
  #running = 0;
  #waiters: (() => void)[] = [];

  constructor(options: ScansOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  async idle(): Promise<void> {
    if (!this.isIdle) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  /** From now on something is to be looked through; gives what ends that. */
  begin(): () => void {
    this.#running++;
    return () => {
      this.#running--;
      if (this.isIdle) for (const resolve of this.#waiters.splice(0)) resolve();
    };
  }

  /** Looks through a PATH that somebody gives, and remembers it. Throws NOT_FOUND for what is no folder. */
  async add(path: string, signal: AbortSignal): Promise<readonly Repository[]> {
    const repositories = await this.#lookThrough(path, signal);
    this.#options.catalogue.rememberPath(realpathSync(path));
    return repositories;
  }

  /** The same for a folder that an editor has open: nothing of what was removed comes back with it. */
  async addOpen(folder: string, signal: AbortSignal): Promise<readonly Repository[]> {
    const { catalogue } = this.#options;
    const path = existsSync(folder) ? await meantBy(realpathSync(folder), signal) : folder;
    if (catalogue.isRemoved(path)) return [];
    const repositories = await this.#lookThrough(path, signal);
    catalogue.rememberPath(path, true);
    return repositories;
  }

  /** Looks through all remembered PATHs, and tells of what was found at each. */
  async all(signal: AbortSignal, onFound: (repositories: readonly Repository[]) => void): Promise<void> {
    for (const path of this.#options.catalogue.paths) await this.one(path, signal, onFound);
  }

  /** Looks through one of them again. */
  async one(
    path: string,
    signal: AbortSignal,
    onFound: (repositories: readonly Repository[]) => void,
  ): Promise<void> {
    if (signal.aborted) return;
    const found = await this.#attempt(path, signal);
    if (found !== undefined && !signal.aborted) onFound(found);
  }

  /** The same where the choice is another one: what no PATH leads to any more is forgotten. */
  async again(signal: AbortSignal, onFound: (repositories: readonly Repository[]) => void): Promise<void> {
    const { catalogue, onGone } = this.#options;
    const kept = new Set<RepositoryId>();
    const blind: string[] = [];
    for (const path of catalogue.paths) {
      const found = await this.#attempt(path, signal);
      if (signal.aborted) return;
      if (found === undefined) blind.push(path);
      else onFound(found);
      for (const { id } of found ?? []) kept.add(id);
    }
    const gone = catalogue
      .all()
      .filter(({ id, path }) => !kept.has(id) && !blind.some((root) => path === root || isBelow(path, root)));
    catalogue.removeAll(gone.map(({ id }) => id));
    await onGone(gone);
  }

  /** `undefined` where a PATH could not be looked through. */
  async #attempt(path: string, signal: AbortSignal): Promise<readonly Repository[] | undefined> {
    try {
      return await this.#lookThrough(path, signal);
    } catch (error) {
      if (!isServiceError(error, "CANCELLED"))
        this.#options.log.warn(`${path} could not be looked through.`, { error });
      return undefined;
    }
  }

  async #lookThrough(path: string, signal: AbortSignal): Promise<readonly Repository[]> {
    const { catalogue, hosts, choice, log, onGone, onLooked } = this.#options;
    const end = this.begin();
    try {
      const { facts, unreadable, around } = await lookThrough(path, hosts, signal, choice());
      if (unreadable.length > 0)
        log.info(`${unreadable.length} folders in ${path} cannot be read.`, { unreadable });
      const root = realpathSync(path);
      const repositories = catalogue.upsert(facts.filter((fact) => !catalogue.isExcluded(fact.path, root)));
      const gone = catalogue.all().filter((known) => isBelow(known.path, root) && !existsSync(known.path));
      catalogue.removeAll(gone.map(({ id }) => id));
      await onGone(gone);
      onLooked(root, around);
      return repositories;
    } finally {
      end();
    }
  }
}

/**
 * A folder inside of a repository, without one of its own, stands for that repository: what git says of it counts there.
 * Unless git passes it over, or the repository is one around a whole home folder.
 */
async function meantBy(folder: string, signal: AbortSignal): Promise<string> {
  const place = repositoryAround(folder);
  const around = place?.workTree;
  if (place === undefined || around === undefined || around === folder) return folder;
  if (homedir() === around || isBelow(homedir(), around)) return folder;
  const path = bytePath(Buffer.from(relative(around, folder).split(sep).join("/")));
  return (await isIgnored(place, path, signal).catch(() => true)) ? folder : around;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(join(folder, "/"));
}
