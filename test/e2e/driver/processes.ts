/** Who is running, as `/proc` tells it. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Processes whose command line, environment or folder names `folder`, and all that descend from them. */
export function processesOf(folder: string): readonly Process[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(readProcess)
    .filter((each) => each !== undefined);
  const found = new Set(all.filter(({ traces }) => traces.includes(folder)).map(({ pid }) => pid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  found.delete(process.pid);
  return all
    .filter(({ pid }) => found.has(pid))
    .map(({ pid, parent, command }) => ({ pid, parent, command }));
}

function readProcess(name: string): (Process & { readonly traces: string }) | undefined {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    const environment = attempt(() => readFileSync(`/proc/${name}/environ`, "utf8"));
    const folder = attempt(() => readlinkSync(`/proc/${name}/cwd`));
    return {
      pid: Number(name),
      parent: Number(parent),
      command,
      traces: `${command}\n${environment}\n${folder}`,
    };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/** TCP ports on which these processes listen. */
export function portsOf(processes: readonly Process[]): readonly number[] {
  const inodes = new Set(processes.flatMap(({ pid }) => socketsOf(pid)));
  const listening = "0A";
  return ["tcp", "tcp6"].flatMap((table) =>
    attempt(() => readFileSync(`/proc/net/${table}`, "utf8"))
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === listening && inodes.has(columns[9] ?? ""))
      .map((columns) => Number.parseInt(columns[1]?.split(":").at(-1) ?? "", 16)),
  );
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      const link = attempt(() => readlinkSync(`/proc/${pid}/fd/${name}`));
      return /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [];
    });
  } catch {
    return [];
  }
}

/** Paths of the Unix sockets below a folder. */
export function socketFilesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSocket())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Asks until it is so. Gives what was found; throws, with `what`, when it has not come to be in time. */
export async function until<Value>(
  what: string,
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
  limitMs = 15_000,
): Promise<Value> {
  for (const end = Date.now() + limitMs; ; ) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`Not within ${limitMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
