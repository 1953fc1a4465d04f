/**
 * A client that sends random edits and requests. It tracks the text of each document itself, and compares every response
 * with the one expected for these texts.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  CancellationTokenSource,
  type DocumentSymbol,
  type Hover,
  type InitializeResult,
  type Location,
  type Position,
  type ProtocolConnection,
  type SymbolInformation,
  TextDocumentSyncKind,
} from "vscode-languageserver/node";
import type { SearchResult } from "#contract/search";
import type { Random } from "#test/support/corpus";
import { connectTo } from "#test/support/editor";
import { eventually } from "#test/support/eventually";
import { repo } from "#test/support/repo";
import { documentedBlocks, type Home } from "./home";
import { ModelDocument, type Unit, units } from "./modelDocument";

const maxFailures = 5;
const timeLimitMs = 30_000;

export interface RawResult {
  readonly summary: string;
  readonly failures: readonly string[];
}

/** Most steps count columns in UTF-16, as nearly all clients do. */
export async function runRawClient(home: Home, count: number, random: Random): Promise<RawResult> {
  const folder = join(home.path, "src/play");
  const names = ["play0.js", "play1.js", "play2.js", "play3.js"];
  const documents = names.map((name, index) => {
    const uri = pathToFileURL(join(folder, name)).href;
    return new ModelDocument(uri, random, index === 1 ? "\r\n" : "\n", `p${index}n`);
  });
  const repository = repo("", { path: folder });
  for (const [index, document] of documents.entries()) repository.write(names[index] ?? "", document.text);
  repository.git("add", ".");
  repository.git("commit", "-qm", "Play");
  const counts = new Map<string, number>();
  const failures: string[] = [];
  for (const unit of units) {
    const steps = Math.ceil(unit === "utf-16" ? count * 0.7 : count * 0.15);
    const found = await runConnection(home, folder, documents, { unit, steps, random, counts });
    failures.push(...found.map((failure) => `${unit}, ${failure}`));
  }
  const summary = [...counts].map(([name, times]) => `${times} ${name}`).join(", ");
  return { summary, failures };
}

interface RunOptions {
  readonly unit: Unit;
  readonly steps: number;
  readonly random: Random;
  /** How often each kind of step was run. */
  readonly counts: Map<string, number>;
}

async function runConnection(
  home: Home,
  folder: string,
  documents: readonly ModelDocument[],
  options: RunOptions,
): Promise<readonly string[]> {
  const server = spawn(join(home.path, "bin/trawl"), ["serve", "--stdio"], {
    cwd: folder,
    env: home.env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => server.on("close", resolve));
  try {
    const client = connectTo(server);
    const isIncremental = await startClient(client, folder, options.unit);
    for (const document of documents) document.revert();
    const run = new RandomRun(client, documents, isIncremental, options);
    await run.untilIndexed();
    for (let step = 0; step < options.steps && run.failures.length < maxFailures; step++)
      await run.step(step);
    await client.sendRequest("shutdown");
    await client.sendNotification("exit");
    const code = await ended;
    return code === 0 ? run.failures : [...run.failures, `the server ended with ${code}`];
  } finally {
    server.kill("SIGKILL");
  }
}

/** Returns whether the server accepts incremental changes. */
async function startClient(client: ProtocolConnection, folder: string, unit: Unit): Promise<boolean> {
  client.onRequest("window/workDoneProgress/create", () => null);
  client.listen();
  const uri = pathToFileURL(folder).href;
  const { capabilities } = await client.sendRequest<InitializeResult>("initialize", {
    processId: process.pid,
    rootUri: uri,
    workspaceFolders: [{ uri, name: "play" }],
    initializationOptions: JSON.parse(documentedBlocks("Any other editor", "json")[0] ?? "") as object,
    capabilities: {
      general: { positionEncodings: [unit] },
      window: { workDoneProgress: true },
      workspace: { workspaceFolders: true },
      textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } },
    },
  });
  const chosen = capabilities.positionEncoding ?? "utf-16";
  if (chosen !== unit) throw new Error(`The server counts in ${chosen}, not in ${unit}.`);
  await client.sendNotification("initialized", {});
  const { textDocumentSync } = capabilities;
  return typeof textDocumentSync === "object" && textDocumentSync.change === TextDocumentSyncKind.Incremental;
}

class RandomRun {
  readonly failures: string[] = [];
  readonly #client: ProtocolConnection;
  readonly #documents: readonly ModelDocument[];
  readonly #unit: Unit;
  readonly #random: Random;
  readonly #counts: Map<string, number>;
  readonly #isIncremental: boolean;
  readonly #open = new Set<ModelDocument>();
  #version = 0;

  constructor(
    client: ProtocolConnection,
    documents: readonly ModelDocument[],
    isIncremental: boolean,
    { unit, random, counts }: RunOptions,
  ) {
    this.#client = client;
    this.#documents = documents;
    this.#isIncremental = isIncremental;
    this.#unit = unit;
    this.#random = random;
    this.#counts = counts;
  }

  async untilIndexed(): Promise<void> {
    const isFound = async (query: string) => (await this.#symbols(query)).length > 0;
    await eventually(async () => {
      const queries = [
        "postEntry",
        "formatPrice",
        ...this.#documents.flatMap(({ names }) => names.slice(0, 1)),
      ];
      for (const query of queries) if (!(await isFound(query))) return false;
      return true;
    }, timeLimitMs);
  }

  async step(index: number): Promise<void> {
    const document = this.#random.pick(this.#documents);
    const kind = this.#random.pick(stepKinds);
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    const problem = await this[kind](document).catch((error: unknown) => String(error));
    if (problem !== undefined) this.failures.push(`step ${index}, ${kind} of ${document.uri}: ${problem}`);
  }

  async edits(document: ModelDocument): Promise<undefined> {
    if (!this.#open.has(document)) {
      this.#open.add(document);
      const textDocument = { uri: document.uri, languageId: "javascript", version: 1, text: document.text };
      await this.#client.sendNotification("textDocument/didOpen", { textDocument });
    }
    const changes = [];
    for (let left = this.#random.between(1, 3); left > 0; left--) changes.push(document.change(this.#unit));
    const contentChanges = this.#isIncremental ? changes : [{ text: document.text }];
    const textDocument = { uri: document.uri, version: ++this.#version + 1 };
    await this.#client.sendNotification("textDocument/didChange", { textDocument, contentChanges });
  }

  async closes(document: ModelDocument): Promise<undefined> {
    if (!this.#open.delete(document)) return;
    document.revert();
    await this.#client.sendNotification("textDocument/didClose", { textDocument: { uri: document.uri } });
  }

  async outlines(document: ModelDocument): Promise<string | undefined> {
    const found = await this.#ask<DocumentSymbol[] | null>("textDocument/documentSymbol", document);
    const seen = (found ?? []).map(({ name, selectionRange }) => [name, selectionRange.start]);
    return difference(
      seen,
      document.names.map((name) => [name, document.positionOf(name, this.#unit)]),
    );
  }

  async searches(): Promise<string | undefined> {
    const { files } = await this.#client.sendRequest<SearchResult>("trawl/search", {
      query: "needle repo:play",
      matches: 10_000,
      whole: false,
    });
    const seen = files.flatMap(({ fileName, chunks }) =>
      chunks.flatMap(({ matchRanges }) =>
        matchRanges.map(({ start }) => `${fileName.text}:${start.lineNumber}`),
      ),
    );
    const wanted = this.#documents.flatMap((document) =>
      document.linesWith("needle").map((line) => `${document.fileName}:${line}`),
    );
    return difference(seen.sort(), wanted.sort());
  }

  async definitions(document: ModelDocument): Promise<string | undefined> {
    const call = document.randomCall(this.#unit);
    if (call === undefined) return undefined;
    const found = await this.#ask<Location[] | null>("textDocument/definition", document, call.position);
    const seen = (found ?? []).map(({ uri, range }) => [uri, range.start]);
    return difference(seen, [[document.uri, document.positionOf(call.name, this.#unit)]]);
  }

  async hovers(document: ModelDocument): Promise<string | undefined> {
    const call = document.randomCall(this.#unit);
    if (call === undefined) return undefined;
    const hover = await this.#ask<Hover | null>("textDocument/hover", document, call.position);
    const shown = JSON.stringify(hover?.contents ?? "");
    if (!shown.includes(`function ${call.name}(`)) return `${call.name} is not in ${shown}`;
    return difference(hover?.range?.start, call.position);
  }

  async references(document: ModelDocument): Promise<string | undefined> {
    const call = document.randomCall(this.#unit);
    if (call === undefined) return undefined;
    const { uri } = document;
    const found = await this.#client.sendRequest<Location[] | null>("textDocument/references", {
      textDocument: { uri },
      position: call.position,
      context: { includeDeclaration: true },
    });
    const seen = (found ?? []).map((each) => `${each.uri}:${each.range.start.line + 1}`);
    const wanted = document.linesWith(call.name).map((line) => `${uri}:${line}`);
    return difference(seen.sort(), wanted.sort());
  }

  async symbols(document: ModelDocument): Promise<string | undefined> {
    if (document.names.length === 0) return undefined;
    const name = this.#random.pick(document.names);
    const found = (await this.#symbols(name)).filter((symbol) => symbol.name === name);
    const seen = found.map(({ location }) => [location.uri, location.range.start]);
    return difference(seen, [[document.uri, document.positionOf(name, this.#unit)]]);
  }

  /** A canceled request also gets a response: its result or the code for cancellation. */
  async cancellations(document: ModelDocument): Promise<string | undefined> {
    const source = new CancellationTokenSource();
    const params = { textDocument: { uri: document.uri } };
    const asked = this.#client.sendRequest("textDocument/documentSymbol", params, source.token);
    source.cancel();
    return asked.then(
      () => undefined,
      (error: { readonly code?: number }) => (error.code === -32800 ? undefined : `code ${error.code}`),
    );
  }

  #ask<Result>(method: string, { uri }: ModelDocument, position?: Position): Promise<Result> {
    return this.#client.sendRequest<Result>(method, { textDocument: { uri }, position });
  }

  async #symbols(query: string): Promise<SymbolInformation[]> {
    return (await this.#client.sendRequest<SymbolInformation[] | null>("workspace/symbol", { query })) ?? [];
  }
}

/** Weighted towards steps that edit. */
const stepKinds = [
  ...(["edits", "edits", "edits", "edits", "edits", "closes"] as const),
  ...(["outlines", "searches", "definitions", "hovers", "references", "symbols", "cancellations"] as const),
];

function difference(seen: unknown, wanted: unknown): string | undefined {
  const [left, right] = [JSON.stringify(seen), JSON.stringify(wanted)];
  return left === right ? undefined : `saw ${left}, should see ${right}`;
}
