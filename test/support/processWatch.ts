/** Watches all processes that start, on Linux, for secrets in their command lines, titles and environments. */
import { Worker } from "node:worker_threads";

export interface WatchedProcesses {
  /** Command lines and titles that contained a secret. */
  readonly commandLines: readonly string[];
  /** `NAME: COMMAND LINE` of each environment variable that contained one. */
  readonly variables: readonly string[];
  /** Command lines of all processes that were seen. */
  readonly seen: readonly string[];
}

export interface ProcessWatch {
  /** Looks at the processes that are running now: on a busy machine, short ones may be missed otherwise. */
  look(): Promise<void>;
  stop(): Promise<WatchedProcesses>;
}

/** Looks at `/proc` every 5 ms, on a thread of its own, because tests block theirs. */
const program = `
const { parentPort, workerData: secrets } = require("node:worker_threads");
const { readdirSync, readFileSync } = require("node:fs");
const processes = () => { try { return readdirSync("/proc").filter((name) => /^\\d+$/.test(name)); } catch { return []; } };
const before = new Set(processes());
const found = { commandLines: new Set(), variables: new Set(), seen: new Set() };
const parts = (pid, file) => {
  try { return readFileSync("/proc/" + pid + "/" + file, "utf8").split("\\0"); } catch { return []; }
};
const isSecret = (text) => secrets.some((each) => text.toLowerCase().includes(each.toLowerCase()));
const look = () => {
  for (const pid of processes()) {
    if (before.has(pid)) continue;
    const commandOf = () => parts(pid, "cmdline").join(" ").trim();
    const command = commandOf();
    const environment = parts(pid, "environ");
    // It may just have started another program, or ended.
    if (command === "" || command !== commandOf()) continue;
    found.seen.add(command);
    if (isSecret(command) || isSecret(parts(pid, "comm").join(" "))) found.commandLines.add(command);
    for (const each of environment)
      if (isSecret(each)) found.variables.add(each.split("=")[0] + ": " + command);
  }
};
const timer = setInterval(look, 5);
parentPort.on("message", (message) => {
  look();
  if (message === "look") return parentPort.postMessage(undefined);
  clearInterval(timer);
  parentPort.postMessage(Object.fromEntries(Object.entries(found).map(([name, set]) => [name, [...set]])));
  parentPort.close();
});
`;

/** `secrets`: every form in which they must not appear; case does not matter. */
export async function watchProcesses(secrets: readonly string[]): Promise<ProcessWatch> {
  const worker = new Worker(program, { eval: true, workerData: secrets });
  await new Promise((resolve) => worker.once("online", resolve));
  // A test that fails must still end.
  worker.unref();
  const send = <Answer>(message: "look" | "stop") =>
    new Promise<Answer>((resolve, reject) => {
      worker.ref();
      worker.once("error", reject);
      worker.once("message", (answer: Answer) => {
        worker.unref();
        worker.off("error", reject);
        resolve(answer);
      });
      worker.postMessage(message);
    });
  return { look: () => send("look"), stop: () => send("stop") };
}

/** Returns the forms in which a password may be written: as it is, encoded for URLs, and as base64, alone or after a user. */
export function formsOf(password: string, user: string): readonly string[] {
  const encoded = [password, `:${password}`, `${user}:${password}`].flatMap((text) => {
    const base64 = Buffer.from(text).toString("base64").replace(/=+$/, "");
    return [base64, base64.replaceAll("+", "-").replaceAll("/", "_"), encodeURIComponent(base64)];
  });
  return [...new Set([password, encodeURIComponent(password), ...encoded])];
}
