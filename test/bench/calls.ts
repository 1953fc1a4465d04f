/**
 * Compares the callers of this project's own definitions with those that TypeScript's language server finds, line by line.
 * Only code in `server/src` counts, because that is what its project contains. Accessors are left out: TypeScript counts
 * each read of a property as a call of its getter, and Trawl does not. A call that may run the definition, because it is an
 * implementation of what is called, is neither right nor wrong: TypeScript lists it only for what the type declares.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type CallHierarchyIncomingCall,
  type CallHierarchyItem,
  createProtocolConnection,
  type Location,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type TextDocumentPositionParams,
} from "vscode-languageserver/node";
import { escapeRegexp } from "#base/escapeRegexp";
import type { CallHierarchy } from "#contract/calls";
import type { RepositoryItem } from "#contract/repositories";
import type { ResponseOf } from "#contract/service";
import { Random } from "#test/support/corpus";
import { eventually } from "#test/support/eventually";
import { projectRoot } from "#test/support/house";
import { Product } from "./product";
import { heading, median, ms, printTable, quantile } from "./report";

export interface CallsOptions {
  readonly seed: number;
  readonly shownMisses: number;
}

interface CodeLocation {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

interface Definition extends CodeLocation {
  readonly name: string;
  readonly kind: string;
  readonly parentKind: string;
}

interface Miss {
  /** The kinds of the definition and of the call. */
  readonly group: string;
  readonly text: string;
}

const folder = "server/src/";
const sampleSize = 250;
const readyMs = 180_000;
/** A cold or busy server may reach its time limit. */
const maxAttempts = 5;
const accessor = /^\s*(?:static )?[gs]et [\w#]+\(/;
const sampledKinds: ReadonlySet<string> = new Set(["function", "method", "class"]);

export async function benchCalls(scratch: string, { seed, shownMisses }: CallsOptions): Promise<void> {
  const root = projectRoot();
  const product = await Product.start(join(scratch, "calls"), [root]);
  const typescript = await TypeScript.start(root);
  try {
    await product.ready;
    const repositories = async () => (await get(product, "/api/repos")) as readonly RepositoryItem[];
    await eventually(async () => (await repositories()).every(({ symbolsReady }) => symbolsReady), readyMs);
    const repo = (await repositories())[0]?.repoName ?? "";
    const random = new Random(seed);
    const all = await definitionsOf(product, repo, root);
    const sample = Array.from({ length: sampleSize }, () => random.pick(all));
    const times: number[] = [];
    const missed: Miss[] = [];
    const wrong: string[] = [];
    let right = 0;
    let dispatched = 0;
    for (const definition of new Set(sample)) {
      const { path, name, line } = definition;
      const expected = await typescript.callers(definition);
      const began = performance.now();
      const found = await callersOf(product, repo, definition);
      times.push(performance.now() - began);
      for (const site of expected) {
        if (found.has(site)) right++;
        else
          missed.push({
            group: groupOf(definition, site, root),
            text: `${name} ${path}:${line} from ${site}`,
          });
      }
      for (const [site, location] of found) {
        if (expected.has(site)) continue;
        const implementations = await typescript.implementations(location);
        if (implementations.has(`${path}:${line}`)) dispatched++;
        else wrong.push(`${name} ${path}:${line} from ${site}`);
      }
    }
    heading("Calls, compared with TypeScript");
    printTable(
      ["definitions", "calls", "of subtypes", "precision", "recall", "median, ms", "p95, ms"],
      [
        [
          String(new Set(sample).size),
          String(right + missed.length),
          String(dispatched),
          (right / (right + wrong.length)).toFixed(3),
          (right / (right + missed.length)).toFixed(3),
          ms(median(times)),
          ms(quantile(times, 0.95)),
        ],
      ],
    );
    printMisses(missed, wrong, shownMisses);
  } finally {
    await typescript.stop();
    await product.stop();
  }
}

function printMisses(missed: readonly Miss[], wrong: readonly string[], shownMisses: number): void {
  const groups = new Map<string, string[]>();
  for (const { group, text } of missed) groups.set(group, [...(groups.get(group) ?? []), text]);
  const sorted = [...groups].sort(([, left], [, right]) => right.length - left.length);
  printTable(
    ["missing calls", ""],
    sorted.map(([group, texts]) => [group, String(texts.length)]),
  );
  for (const [group, texts] of sorted)
    for (const text of texts.slice(0, shownMisses)) console.log(`missing, ${group}: ${text}`);
  for (const text of wrong.slice(0, shownMisses)) console.log(`wrong: ${text}`);
}

async function definitionsOf(product: Product, repo: string, root: string): Promise<readonly Definition[]> {
  const listed = execFileSync("git", ["ls-files", "-z", "--", folder], { cwd: root, encoding: "utf8" });
  const paths = listed.split("\0").filter((path) => path.endsWith(".ts") && !path.includes("/assembly/"));
  const found: Definition[] = [];
  for (const path of paths) {
    const { symbols } = (await product.post("/api/outline", {
      place: { repo, path },
    })) as ResponseOf<"outline">;
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    for (const { symbol, kind, range, parentIndex } of symbols) {
      if (!sampledKinds.has(kind) || accessor.test(lines[range.start.lineNumber - 1] ?? "")) continue;
      const { lineNumber: line, column } = range.start;
      found.push({
        path,
        name: symbol,
        line,
        column,
        kind,
        parentKind: symbols[parentIndex]?.kind ?? "file",
      });
    }
  }
  return found;
}

/** Returns the lines of confident calls, as `path:line`. */
async function callersOf(
  product: Product,
  repo: string,
  definition: Definition,
): Promise<Map<string, CodeLocation>> {
  const { path, line, column, name } = definition;
  const request = { symbolName: name, askedFrom: { repo, path, lineNumber: line, column }, matches: 10_000 };
  const ask = async () => (await product.post("/api/call_hierarchy", request)) as CallHierarchy;
  let response = await ask();
  for (let attempt = 1; attempt < maxAttempts && response.stats.flushReason === "TIME_LIMIT"; attempt++)
    response = await ask();
  const { definitions, calls } = response;
  const sites = calls.flatMap((call) => {
    const file = definitions[call.caller]?.fileName ?? "";
    if (call.certainty === "name" || !file.startsWith(folder)) return [];
    return call.sites.map(({ range: { start } }): [string, CodeLocation] => {
      return [`${file}:${start.lineNumber}`, { path: file, line: start.lineNumber, column: start.column }];
    });
  });
  return new Map(sites);
}

/** Describes the definition and the call. */
function groupOf({ name, kind, parentKind }: Definition, site: string, root: string): string {
  const [path = "", line = ""] = site.split(":");
  const text = readFileSync(join(root, path), "utf8").split("\n")[Number(line) - 1] ?? "";
  const before = text.slice(0, text.search(new RegExp(`${escapeRegexp(name)}\\b`)));
  const receiver = /([\w#.$]*[)\]!?]?)\??\.$/.exec(before)?.[1];
  const shape =
    receiver === undefined
      ? "f()"
      : /^this\.[\w#]+$/.test(receiver)
        ? "this.field.f()"
        : receiver === "this"
          ? "this.f()"
          : /^[\w$]+$/.test(receiver)
            ? "variable.f()"
            : /[)\]]$/.test(receiver) || receiver === ""
              ? "(…).f()"
              : "a.b.f()";
  return `${kind} of ${parentKind}, ${shape}`;
}

async function get(product: Product, path: string): Promise<unknown> {
  return await (await fetch(product.url + path)).json();
}

/** TypeScript's language server. */
class TypeScript {
  readonly #process: ChildProcess;
  readonly #connection: ProtocolConnection;
  readonly #root: string;
  readonly #opened = new Set<string>();

  private constructor(process: ChildProcess, connection: ProtocolConnection, root: string) {
    this.#process = process;
    this.#connection = connection;
    this.#root = root;
  }

  static async start(root: string): Promise<TypeScript> {
    const manifest = createRequire(join(root, "package.json")).resolve("typescript/package.json");
    const script = join(dirname(manifest), "bin/tsc");
    const child = spawn(process.execPath, [script, "--lsp", "--stdio"], {
      cwd: root,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    connection.onRequest("client/registerCapability", () => null);
    connection.listen();
    const uri = pathToFileURL(root).href;
    await connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: uri,
      workspaceFolders: [{ uri, name: "trawl" }],
      capabilities: { textDocument: { callHierarchy: {} } },
    });
    await connection.sendNotification("initialized", {});
    return new TypeScript(child, connection, root);
  }

  /** Returns the lines of calls, as `path:line`. */
  async callers(definition: Definition): Promise<Set<string>> {
    const items = await this.#connection.sendRequest<CallHierarchyItem[] | null>(
      "textDocument/prepareCallHierarchy",
      await this.#open(definition),
    );
    const sites = new Set<string>();
    for (const item of items ?? []) {
      const calls = await this.#connection.sendRequest<CallHierarchyIncomingCall[] | null>(
        "callHierarchy/incomingCalls",
        { item },
      );
      for (const { from, fromRanges } of calls ?? []) {
        const caller = fileURLToPath(from.uri).slice(this.#root.length + 1);
        if (!caller.startsWith(folder)) continue;
        for (const { start } of fromRanges) sites.add(`${caller}:${start.line + 1}`);
      }
    }
    return sites;
  }

  /** Returns the lines of what the name at a location may run, as `path:line`. */
  async implementations(location: CodeLocation): Promise<Set<string>> {
    const found = await this.#connection.sendRequest<Location[] | null>(
      "textDocument/implementation",
      await this.#open(location),
    );
    return new Set(
      (found ?? []).map(({ uri, range }) => {
        return `${fileURLToPath(uri).slice(this.#root.length + 1)}:${range.start.line + 1}`;
      }),
    );
  }

  /** Opens the file of a location once. Returns the parameters of a request about it. */
  async #open({ path, line, column }: CodeLocation): Promise<TextDocumentPositionParams> {
    const file = join(this.#root, path);
    const uri = pathToFileURL(file).href;
    if (!this.#opened.has(uri)) {
      this.#opened.add(uri);
      const textDocument = { uri, languageId: "typescript", version: 1, text: readFileSync(file, "utf8") };
      await this.#connection.sendNotification("textDocument/didOpen", { textDocument });
    }
    return { textDocument: { uri }, position: { line: line - 1, character: column - 1 } };
  }

  async stop(): Promise<void> {
    const closed = once(this.#process, "close");
    this.#connection.dispose();
    this.#process.kill();
    await closed;
  }
}
