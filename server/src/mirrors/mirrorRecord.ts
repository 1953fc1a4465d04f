/** The state of mirrors and connections. Times are milliseconds since 1970. */
import type { HostRepository } from "#hosts/codeHost";
import type { CodeHostType } from "#model/repository";
import type { Holding } from "./holding";

/** What identifies a mirror: the type and address of the host, and the host's id of the repository. */
export interface MirrorDescription {
  readonly type: CodeHostType;
  /** Origin and path prefix of the host, without a slash at the end. */
  readonly url: string;
  readonly repository: HostRepository;
}

export interface MirrorRecord extends MirrorDescription {
  /** The name of its folder; never reused. */
  readonly number: number;
  /** Paths that it had on its host, the latest first, and that no other repository has had since. */
  readonly formerPaths?: readonly string[];
  /** By the name of the connection. */
  readonly holdings: Readonly<Record<string, Holding>>;
  readonly fetches: FetchRecord;
}

export interface FetchRecord {
  /** When it was last fetched successfully, and when that last changed a ref. */
  readonly fetchedAt?: number;
  readonly changedAt?: number;
  /** When a webhook last said that it has changed. Absent once a change was found without one. */
  readonly hintedAt?: number;
  /** The host's fingerprint of the repository at the last fetch. */
  readonly fingerprint?: string;
  readonly nextAt: number;
  /** How many attempts in a row have failed, and the reason of the last one. */
  readonly failures: number;
  readonly lastError?: string;
  /** The size of its packfiles. */
  readonly bytes?: number;
}

export interface ConnectionRecord {
  /** When its host was last listed. */
  readonly listedAt?: number;
  readonly nextListAt: number;
  readonly failures: number;
  /** Identifies the settings and credentials of the last listing. */
  readonly fingerprint?: string;
  readonly problems: readonly ConnectionProblem[];
  /** Ids that disappeared at once, and those whose disappearance a person has confirmed. */
  readonly unconfirmedIds?: readonly string[];
  readonly confirmedIds?: readonly string[];
  /** How long its mirrors are kept once it is no longer configured. */
  readonly keepDays?: number;
  /** Whether it was added in an editor, so that every process on the data directory notices its removal. */
  readonly isAdded?: true;
  /** Whether its host decides who sees its repositories, for processes that do not know its settings. */
  readonly isRestricted?: true;
}

export interface ConnectionProblem {
  /** Absent if it concerns the whole connection. */
  readonly scope?: string;
  readonly message: string;
  readonly status?: number;
}

export const mirrorStates = ["waiting", "mirrored", "failing", "gone", "hidden"] as const;

/**
 * Returns the state of a mirror; that in one connection if it is named. `gone`: its host says that it does not exist.
 * `hidden`: the configuration no longer includes it.
 */
export function mirrorStateOf(
  { holdings, fetches }: MirrorRecord,
  connection?: string,
): (typeof mirrorStates)[number] {
  const considered = Object.entries(holdings).flatMap(([name, each]) =>
    connection === undefined || connection === name ? [each] : [],
  );
  if (considered.length > 0 && considered.every(({ released }) => released !== undefined)) return "hidden";
  if (considered.some(({ confirmations = [] }) => confirmations.length > 0)) return "gone";
  if (fetches.lastError !== undefined) return "failing";
  return fetches.fetchedAt === undefined ? "waiting" : "mirrored";
}

/** Returns the name of a repository: host, port and path prefix, and its path there, or another one. */
export function mirrorName(
  { url, repository }: Pick<MirrorDescription, "url" | "repository">,
  path = repository.path,
): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname.replace(/\/+$/, "")}/${path}`;
}
