/**
 * Who owns a data directory: one process, named in `owner.lock`.
 *
 * The file appears whole or not at all (it is written beside and linked). Its holder lives while its process does; where
 * that cannot be known (another machine, another container) while its socket answers or its heartbeat, the file's
 * mtime, is younger than 30 s. A dead holder's file is taken away by one process only: the one that linked the name
 * `owner.lock.steal-<id of the dead>`.
 */
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { ServiceError } from "#base/error";

export interface LockHolder {
  /** Of this one taking of the lock. */
  readonly id: string;
  readonly pid: number;
  /** Tells a process from a later one with the same pid; `""` where the system does not say. */
  readonly startTime: string;
  /** Machine, its boot, and its space of pids: where these are equal, a pid means the same process. */
  readonly host: string;
}

export interface OwnerLock {
  readonly kind: "acquired";
  /** Gives the lock back. Without it, a dead process's lock is found out. */
  release(): void;
}

export interface HeldLock {
  readonly kind: "held";
  /** Absent where the file says nothing that we understand. */
  readonly holder?: LockHolder;
}

export interface LockOptions {
  /** Whether the holder's socket answers. Asked only where its process cannot be. */
  readonly answers?: () => Promise<boolean>;
  /** Called once when somebody else has taken the lock, as after a long sleep of the machine: stop writing. */
  readonly onLost?: () => void;
}

const heartbeatMs = 5_000;
const staleMs = 30_000;
/** Somebody who was writing the file may need so long to be done. */
const unreadableGraceMs = 5_000;
const attempts = 5;

/** Takes the lock of a data directory, or tells who has it. Throws STORAGE_FAILED where the folder cannot be written. */
export async function acquireLock(folder: string, options: LockOptions = {}): Promise<OwnerLock | HeldLock> {
  const lock = join(folder, "owner.lock");
  const own: LockHolder = {
    id: randomUUID(),
    pid: process.pid,
    startTime: startTimeOf(process.pid),
    host: thisHost(),
  };
  const draft = `${lock}.${own.id}`;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (linkTo(draft, lock)) {
        removeLeftovers(folder, draft);
        return held(lock, own, options.onLost);
      }
      const holder = readHolder(lock);
      if (holder === "gone") continue;
      if (await isAlive(lock, holder, options.answers)) {
        return holder === "unreadable" ? { kind: "held" } : { kind: "held", holder };
      }
      if (!removeStale(lock, draft, holder))
        return holder === "unreadable" ? { kind: "held" } : { kind: "held", holder };
    }
    return { kind: "held" };
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError("STORAGE_FAILED", `The data directory ${folder} cannot be used: ${reason}`, {
      cause,
    });
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** Whether the lock of a data directory may be had, as far as that shows without taking it: a look at one small file. */
export function isVacant(folder: string): boolean {
  const lock = join(folder, "owner.lock");
  const holder = readHolder(lock);
  if (holder === "gone") return true;
  if (holder === "unreadable") return ageOf(lock) >= unreadableGraceMs;
  const process = holder.host === thisHost() ? stateOf(holder) : "unknown";
  return process === "unknown" ? ageOf(lock) >= staleMs : process === "dead";
}

function held(lock: string, own: LockHolder, onLost: (() => void) | undefined): OwnerLock {
  const isOurs = () => {
    const holder = readHolder(lock);
    return typeof holder === "object" && holder.id === own.id;
  };
  const timer = setInterval(() => {
    if (isOurs()) {
      const now = new Date();
      try {
        fs.utimesSync(lock, now, now);
      } catch {
        // A disk that cannot be written for a moment takes one beat of six.
      }
      return;
    }
    clearInterval(timer);
    onLost?.();
  }, heartbeatMs);
  timer.unref();
  return {
    kind: "acquired",
    release() {
      clearInterval(timer);
      if (isOurs()) fs.rmSync(lock, { force: true });
    },
  };
}

/** Gives the draft a second name; false where that name is taken. */
function linkTo(draft: string, name: string): boolean {
  try {
    fs.linkSync(draft, name);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    // Some file systems know no links. The content then comes a moment after the name.
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
  answers: (() => Promise<boolean>) | undefined,
): Promise<boolean> {
  if (holder === "unreadable") return ageOf(lock) < unreadableGraceMs;
  const process = holder.host === thisHost() ? stateOf(holder) : "unknown";
  if (process !== "unknown") return process === "alive";
  return ageOf(lock) < staleMs || (await answers?.()) === true;
}

/** Milliseconds since the last heartbeat. */
function ageOf(lock: string): number {
  return Date.now() - (fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

function stateOf({ pid, startTime }: LockHolder): "alive" | "dead" | "unknown" {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return "dead";
  }
  const now = startTimeOf(pid);
  // Without a start time the pid may be another process's by now.
  if (startTime === "" || now === "") return "unknown";
  return now === startTime ? "alive" : "dead";
}

/** False where another process is about to do the same. */
function removeStale(lock: string, draft: string, holder: LockHolder | "unreadable"): boolean {
  const id = holder === "unreadable" ? "unreadable" : holder.id;
  const steal = `${lock}.steal-${id}`;
  if (!linkTo(draft, steal)) {
    const thief = readHolder(steal);
    const isDead = typeof thief === "object" && thief.host === thisHost() && stateOf(thief) === "dead";
    const age = Date.now() - (fs.statSync(steal, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (isDead || age > staleMs) fs.rmSync(steal, { force: true });
    return false;
  }
  try {
    const again = readHolder(lock);
    const isSame =
      holder === "unreadable" ? again === "unreadable" : typeof again === "object" && again.id === id;
    if (isSame) removeThat(lock, id);
  } finally {
    fs.rmSync(steal, { force: true });
  }
  return true;
}

/**
 * Takes the file away and looks at it once more: should another process have taken the lock meanwhile, which two
 * thieves at once could bring about, it gets its file back.
 */
function removeThat(lock: string, id: string): void {
  const aside = `${lock}.${randomUUID()}`;
  fs.renameSync(lock, aside);
  const taken = readHolder(aside);
  if (typeof taken === "object" && taken.id !== id) linkTo(aside, lock);
  fs.rmSync(aside, { force: true });
}

/** What processes that were killed between two steps have left. Those that live still need theirs. */
function removeLeftovers(folder: string, draft: string): void {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith("owner.lock.") || path === draft) continue;
    const holder = readHolder(path);
    const isDead = typeof holder === "object" && holder.host === thisHost() && stateOf(holder) === "dead";
    const age = Date.now() - (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (isDead || age > staleMs) fs.rmSync(path, { force: true });
  }
}

/** Clock ticks after boot, from the 22nd field of `/proc/<pid>/stat`; the second may hold blanks and brackets. */
function startTimeOf(pid: number): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended; only its parent does not know yet.
    return fields[0] === "Z" ? "ended" : (fields[19] ?? "");
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
