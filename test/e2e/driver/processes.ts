/** Running processes, read from `/proc`. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Returns processes whose command line, environment or working directory contains `folder`, and their descendants. */
export function processesOf(folder: string): readonly Process[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(readProcess)
    .filter((each) => each !== undefined);
  const found = new Set(all.filter(({ searchText }) => searchText.includes(folder)).map(({ pid }) => pid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  found.delete(process.pid);
  return all
    .filter(({ pid }) => found.has(pid))
    .map(({ pid, parent, command }) => ({ pid, parent, command }));
}

function readProcess(name: string): (Process & { readonly searchText: string }) | undefined {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    const environment = textOrEmpty(() => readFileSync(`/proc/${name}/environ`, "utf8"));
    const folder = textOrEmpty(() => readlinkSync(`/proc/${name}/cwd`));
    return {
      pid: Number(name),
      parent: Number(parent),
      command,
      searchText: `${command}\n${environment}\n${folder}`,
    };
  } catch {
    // The process has exited in the meantime.
    return undefined;
  }
}

function textOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/** Returns the TCP ports on which these processes listen. */
export function portsOf(processes: readonly Process[]): readonly number[] {
  const inodes = new Set(processes.flatMap(({ pid }) => socketsOf(pid)));
  const listening = "0A";
  return ["tcp", "tcp6"].flatMap((table) =>
    textOrEmpty(() => readFileSync(`/proc/net/${table}`, "utf8"))
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
      const link = textOrEmpty(() => readlinkSync(`/proc/${pid}/fd/${name}`));
      return /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [];
    });
  } catch {
    return [];
  }
}

/** Returns the paths of Unix sockets below a folder. */
export function socketFilesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSocket())
    .map((entry) => join(entry.parentPath, entry.name));
}
