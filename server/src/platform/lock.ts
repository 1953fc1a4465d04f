/**
 * The lock of a data directory: `owner.lock`, which names the one process that owns the directory.
 *
 * The file appears whole or not at all: it is written under another name and linked. Its holder is alive while its
 * process is. If that cannot be checked (another machine, another container), the holder is alive while its socket
 * answers or its heartbeat, the file's mtime, is younger than 30 s. Only one process removes a dead holder's file: the
 * one that linked the name `owner.lock.steal-<id of the dead holder>`.
 *
 * The file is evidence, not the ownership itself. A holder whose file was removed or damaged restores it. Until then
 * no process takes the lock as long as the holder's socket answers.
 */
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { ServiceError } from "#base/error";
import { type Clock, systemClock } from "./clock";

/** The content of `owner.lock`. */
export interface LockHolder {
  /** Identifies this acquisition of the lock. */
  readonly id: string;
  readonly pid: number;
  /** Distinguishes a process from a later one with the same pid; `""` if the system does not report it. */
  readonly startTime: string;
  /** Machine, boot and pid namespace: if these are equal, a pid means the same process. */
  readonly host: string;
}

/** The lock, held by this process. */
export interface OwnerLock {
  readonly kind: "acquired";
  /** Calls `step` about once a second, as long as the file names this process. */
  onBeat(step: () => void): void;
  /**
   * Releases the lock. Throws if the file cannot be removed; other processes can then take the lock as soon as this
   * process has exited.
   */
  release(): void;
}

/** The lock could not be acquired, because another process holds it. */
export interface HeldLock {
  readonly kind: "held";
  /** Absent if the file cannot be parsed. */
  readonly holder?: LockHolder;
}

export interface LockOptions {
  /** Whether the holder's socket answers. Called only if the file does not show whether its process is alive. */
  readonly isHolderResponding?: () => Promise<boolean>;
  /** Called once when another process has taken the lock, as after a long sleep of the machine. Stop writing. */
  readonly onLost?: () => void;
  /** Called when the file was missing or damaged and has been restored. */
  readonly onRestored?: () => void;
  /** Measures the age of the holder's heartbeat. */
  readonly clock?: Clock;
}

const beatMs = 1_000;
const heartbeatMs = 5_000;
/** A holder that cannot be checked otherwise counts as dead this long after its last heartbeat. */
export const staleMs = 30_000;
/** How long a file that cannot be parsed counts as still being written by another process. */
const unreadableGraceMs = 5_000;
const attempts = 5;

/**
 * Acquires the lock of a data directory, or reports its holder. Throws STORAGE_FAILED if the folder is not writable.
 */
export async function acquireLock(folder: string, options: LockOptions = {}): Promise<OwnerLock | HeldLock> {
  const lock = join(folder, "owner.lock");
  const own: LockHolder = {
    id: randomUUID(),
    pid: process.pid,
    startTime: startTimeOf(process.pid),
    host: thisHost(),
  };
  const draft = `${lock}.${own.id}`;
  const { isHolderResponding, clock = systemClock } = options;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A holder that answers is about to restore its file.
    if (readHolder(lock) === "gone" && (await isHolderResponding?.()) === true) return { kind: "held" };
    writeDraft(draft, own);
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (linkTo(draft, lock)) {
        removeLeftovers(folder, draft, clock);
        return ownerLock(lock, own, options);
      }
      const holder = readHolder(lock);
      if (holder === "gone") continue;
      if (await isAlive(lock, holder, isHolderResponding, clock)) {
        return holder === "unreadable" ? { kind: "held" } : { kind: "held", holder };
      }
      if (!removeStale(lock, draft, holder, clock))
        return holder === "unreadable" ? { kind: "held" } : { kind: "held", holder };
    }
    return { kind: "held" };
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const isForbidden = ["EACCES", "EPERM", "EROFS"].includes(codeOf(cause));
    const advice = isForbidden ? ". Make it writable, or choose another one with --data-dir" : "";
    throw new ServiceError("STORAGE_FAILED", `Cannot use the data directory ${folder}: ${reason}${advice}`, {
      cause,
    });
  } finally {
    removeQuietly(draft);
  }
}

/**
 * Whether the lock of a data directory seems to be free. Reads one small file, and does not try to acquire the lock.
 */
export function isVacant(folder: string): boolean {
  const lock = join(folder, "owner.lock");
  const holder = readHolder(lock);
  if (holder === "gone") return true;
  if (holder === "unreadable") return ageOf(lock) >= unreadableGraceMs;
  const process = holder.host === thisHost() ? processState(holder) : "unknown";
  return process === "unknown" ? ageOf(lock) >= staleMs : process === "dead";
}

function writeDraft(draft: string, own: LockHolder): void {
  fs.writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
}

function ownerLock(lock: string, own: LockHolder, { onLost, onRestored }: LockOptions): OwnerLock {
  const currentOwner = () => {
    const holder = readHolder(lock);
    if (typeof holder === "string") return holder;
    return holder.id === own.id ? "this process" : "another process";
  };
  let beat = () => {};
  let touchedAt = performance.now();
  const timer = setInterval(() => {
    const owner = currentOwner();
    if (owner === "another process") {
      clearInterval(timer);
      onLost?.();
      return;
    }
    if (owner !== "this process") {
      if (!restore(lock, own, owner)) return;
      onRestored?.();
    } else if (performance.now() - touchedAt >= heartbeatMs) {
      touchedAt = performance.now();
      const now = new Date();
      try {
        fs.utimesSync(lock, now, now);
      } catch {
        // A disk that is not writable for a moment costs one heartbeat of six.
      }
    }
    beat();
  }, beatMs);
  timer.unref();
  return {
    kind: "acquired",
    onBeat(step) {
      beat = step;
    },
    release() {
      clearInterval(timer);
      if (currentOwner() === "this process") fs.rmSync(lock, { force: true });
    },
  };
}

/** Rewrites the lock file of a living holder. Returns false on failure, as in a directory that was removed. */
function restore(lock: string, own: LockHolder, found: "gone" | "unreadable"): boolean {
  const draft = `${lock}.${own.id}`;
  try {
    writeDraft(draft, own);
    if (found === "unreadable" && !removeStale(lock, draft, found)) return false;
    return linkTo(draft, lock);
  } catch {
    return false;
  } finally {
    removeQuietly(draft);
  }
}

/** Removes a draft. If this fails, the next holder removes it. */
function removeQuietly(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // The directory is no longer writable.
  }
}

/** Links the draft to another name. Returns false if that name is taken. */
function linkTo(draft: string, name: string): boolean {
  try {
    fs.linkSync(draft, name);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    // Some file systems have no hard links. The content then appears a moment after the name.
    if (!["ENOTSUP", "EOPNOTSUPP", "EPERM", "ENOSYS", "EMLINK", "EINVAL"].includes(code)) throw error;
  }
  try {
    fs.writeFileSync(name, fs.readFileSync(draft), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function readHolder(lock: string): LockHolder | "gone" | "unreadable" {
  let text: string;
  try {
    text = fs.readFileSync(lock, "utf8");
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "gone" : "unreadable";
  }
  try {
    const { id, pid, startTime, host } = JSON.parse(text) as Record<string, unknown>;
    if (typeof id !== "string" || !/^[\w-]{1,64}$/.test(id) || typeof pid !== "number") return "unreadable";
    return { id, pid, startTime: String(startTime ?? ""), host: String(host ?? "") };
  } catch {
    return "unreadable";
  }
}

async function isAlive(
  lock: string,
  holder: LockHolder | "unreadable",
  isResponding: (() => Promise<boolean>) | undefined,
  clock: Clock,
): Promise<boolean> {
  const state = holder !== "unreadable" && holder.host === thisHost() ? processState(holder) : "unknown";
  if (state !== "unknown") return state === "alive";
  const graceMs = holder === "unreadable" ? unreadableGraceMs : staleMs;
  return ageOf(lock, clock) < graceMs || (await isResponding?.()) === true;
}

/** Heartbeats with a time in the future, and when each was first seen. */
const futureBeats = new Map<string, { readonly mtimeMs: number; readonly seenAt: number }>();

/**
 * Returns the milliseconds since the last heartbeat; 0 for a file that is missing or cannot be checked, because its
 * writer may be alive. A heartbeat in the future was written before our clock was set back, or on a machine whose clock
 * is ahead. Its age counts from when it was first seen, because only a living holder replaces it.
 */
function ageOf(path: string, clock: Clock = systemClock): number {
  let mtimeMs: number;
  try {
    mtimeMs = fs.statSync(path).mtimeMs;
  } catch {
    return 0;
  }
  const ageMs = clock.now() - mtimeMs;
  if (ageMs >= 0) return ageMs;
  const seen = futureBeats.get(path);
  if (seen?.mtimeMs === mtimeMs) return clock.elapsed() - seen.seenAt;
  futureBeats.set(path, { mtimeMs, seenAt: clock.elapsed() });
  return 0;
}

function processState({ pid, startTime }: LockHolder): "alive" | "dead" | "unknown" {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return "dead";
  }
  const now = startTimeOf(pid);
  // Without a start time, the pid may belong to another process by now.
  if (startTime === "" || now === "") return "unknown";
  return now === startTime ? "alive" : "dead";
}

/** Removes a dead holder's file. Returns false if another process is about to do the same. */
function removeStale(
  lock: string,
  draft: string,
  holder: LockHolder | "unreadable",
  clock: Clock = systemClock,
): boolean {
  const id = holder === "unreadable" ? "unreadable" : holder.id;
  const steal = `${lock}.steal-${id}`;
  if (!linkTo(draft, steal)) {
    const thief = readHolder(steal);
    const isDead = typeof thief === "object" && thief.host === thisHost() && processState(thief) === "dead";
    if (isDead || ageOf(steal, clock) > staleMs) fs.rmSync(steal, { force: true });
    return false;
  }
  try {
    const again = readHolder(lock);
    const isSame =
      holder === "unreadable" ? again === "unreadable" : typeof again === "object" && again.id === id;
    if (isSame) removeIfHeldBy(lock, id);
  } finally {
    fs.rmSync(steal, { force: true });
  }
  return true;
}

/**
 * Moves the file aside and reads it again. If two processes steal the lock at once, it may by now belong to a new
 * holder; then the file is put back.
 */
function removeIfHeldBy(lock: string, id: string): void {
  const aside = `${lock}.${randomUUID()}`;
  fs.renameSync(lock, aside);
  const taken = readHolder(aside);
  if (typeof taken === "object" && taken.id !== id) linkTo(aside, lock);
  fs.rmSync(aside, { force: true, recursive: true });
}

/** Removes the files of processes that were killed between two steps, but not those of living ones. */
function removeLeftovers(folder: string, draft: string, clock: Clock): void {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith("owner.lock.") || path === draft) continue;
    const holder = readHolder(path);
    const isDead =
      typeof holder === "object" && holder.host === thisHost() && processState(holder) === "dead";
    if (isDead || ageOf(path, clock) > staleMs) fs.rmSync(path, { force: true });
  }
}

/**
 * Returns when a process started, in clock ticks after boot; `""` if the system does not report it. Reads state,
 * number of threads and start time (fields 3, 20 and 22) from `/proc/<pid>/stat`; field 2 may contain spaces and
 * parentheses.
 */
function startTimeOf(pid: number): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended, but its parent has not waited for it yet. A killed process is also shown as a zombie as long
    // as some of its threads still run, which keep its files and ports open.
    const hasEnded = fields[0] === "Z" && Number(fields[17]) <= 1;
    return hasEnded ? "ended" : (fields[19] ?? "");
  } catch {
    return "";
  }
}

let host: string | undefined;

function thisHost(): string {
  host ??= [hostname(), readLine("/proc/sys/kernel/random/boot_id"), linkOf("/proc/self/ns/pid")]
    .join(" ")
    .trim();
  return host;
}

function readLine(path: string): string {
  try {
    return fs.readFileSync(path, "latin1").trim();
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return fs.readlinkSync(path);
  } catch {
    return "";
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
