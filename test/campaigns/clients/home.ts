/** A home folder with repositories, in which the campaign `clients` starts editors. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { projectRoot } from "#test/support/house";
import { repo } from "#test/support/repo";
import { trawlBundle } from "#test/support/trawl";

/** The programs of one client; all of them are needed. */
export type Programs = Readonly<Record<string, string>>;

export interface Home {
  readonly path: string;
  /** `src/web`, in which editors start. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Folders of the started servers, in the order of their starts; `check_messages.py` describes their content. */
  connections(): string[];
}

export const webFile = "src/web/src/cart.js";

/** Names after characters outside the BMP show which units the client and the server count in. */
const web = `
  = main: Add the cart
  package.json
  | { "name": "@acme/web", "dependencies": { "@acme/money": "1", "@acme/ledger": "1" } }
  src/cart.js
  | import { postEntry } from "@acme/ledger";
  | import { formatPrice } from "@acme/money";
  |
  | export class Cart {
  |   constructor(prices) {
  |     this.prices = prices;
  |   }
  |
  |   label() {
  |     const total = this.prices.reduce((sum, price) => sum + price, 0);
  |     return "🧺🧺" + formatPrice(total);
  |   }
  | }
  |
  | export function checkOut(cart) {
  |   return "𝛴".length + postEntry(cart.label());
  | }
`;
const money = `
  = main: Format prices
  package.json
  | { "name": "@acme/money", "version": "1.0.0", "main": "src/price.js" }
  src/price.js
  | /** Formats an amount of cents as dollars. */
  | export function formatPrice(cents) {
  |   return "$" + (cents / 100).toFixed(2);
  | }
`;
const ledger = `
  = main: Post entries
  package.json
  | { "name": "@acme/ledger", "version": "1.0.0", "main": "src/ledger.js" }
  src/ledger.js
  | const entries = [];
  |
  | /** Adds an entry to the ledger. */
  | export function postEntry(text) {
  |   return entries.push(text);
  | }
`;

/** Everything below `path` belongs to the home; `bin` are further folders with programs. */
export function createHome(path: string, programs: Programs): Home {
  mkdirSync(path, { recursive: true });
  repo(web, { path: join(path, "src/web") });
  repo(money, { path: join(path, "src/money") });
  repo(ledger, { path: join(path, "src/ledger.git"), bare: true });
  const bin = join(path, "bin");
  const recorded = join(path, "connections");
  mkdirSync(bin);
  mkdirSync(recorded);
  writeFileSync(join(bin, "trawl"), recordingTrawl(recorded));
  chmodSync(join(bin, "trawl"), 0o755);
  const folders = [bin, ...Object.values(programs).map((program) => join(program, ".."))];
  // Isolated from the user's settings and index.
  const { XDG_RUNTIME_DIR: _, ...env } = process.env;
  return {
    path,
    folder: join(path, "src/web"),
    env: {
      ...env,
      HOME: path,
      XDG_DATA_HOME: join(path, "data"),
      XDG_CONFIG_HOME: join(path, "config"),
      XDG_STATE_HOME: join(path, "state"),
      XDG_CACHE_HOME: join(path, "cache"),
      PATH: [...folders, process.env["PATH"]].join(delimiter),
      LC_ALL: "C.UTF-8",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
    },
    connections: () =>
      readdirSync(recorded)
        .sort()
        .map((name) => join(recorded, name)),
  };
}

/** Creates the command `trawl`, which also records the traffic between client and server. */
function recordingTrawl(folder: string): string {
  return `#!/bin/bash
folder=$(mktemp -d ${quoted(folder)}/"$(date +%s%N)"-XXXX)
${quoted(process.execPath)} ${quoted(trawlBundle)} "$@" < <(tee "$folder/in" 2>/dev/null) > >(tee "$folder/out" 2>/dev/null) 2>"$folder/stderr"
code=$?
echo $code >"$folder/code"
exit $code
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the code blocks of one language below a heading of `docs/editors.md`, in order. */
export function documentedBlocks(heading: string, language: string): string[] {
  const text = readFileSync(join(projectRoot(), "docs/editors.md"), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`docs/editors.md has no section "${heading}".`);
  const blocks = [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const found = blocks.filter(([, name]) => name === language).map(([, , block]) => block ?? "");
  if (found.length === 0) throw new Error(`The section "${heading}" has no block of ${language}.`);
  return found;
}

export interface Finished {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end, or kills its process group after `timeLimitMs`. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, timeLimitMs }: { cwd: string; env: NodeJS.ProcessEnv; timeLimitMs: number },
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const parts: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => parts.push(part));
    child.stderr.on("data", (part: Buffer) => parts.push(part));
    const timer = setTimeout(() => killGroup(child.pid), timeLimitMs);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output: Buffer.concat(parts).toString("utf8") });
    });
  });
}

export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}
