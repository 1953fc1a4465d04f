/** Collects which definitions call one another, each pair once for each certainty. */
import type { Certainty } from "#contract/symbols";
import type { FoundSymbol } from "#engine/engine";
import type { Range } from "#model/match";
import type { RepositoryId } from "#model/repository";
import { compareCertainty, type ReferenceSource } from "./confidence";
import { toFoundDefinition } from "./definitions";
import type { CodeCall, CodeDefinition } from "./parsedCode";

export interface CallNode {
  /** For calls at the top level of a file, an empty range at its start. */
  readonly symbol: FoundSymbol;
  readonly isFile: boolean;
  /** Number of calls between it and a root. */
  readonly depth: number;
  /** Absent until the text of its file has been read. */
  wholeRange?: Range | undefined;
}

export interface CallSite {
  readonly range: Range;
  readonly lineContent: string;
}

export interface CallEdge {
  readonly caller: CallNode;
  readonly callee: CallNode;
  readonly certainty: Certainty;
  readonly sites: readonly CallSite[];
}

interface OpenEdge extends CallEdge {
  readonly sites: CallSite[];
}

/** A definition, or a file, and what is known about it. */
export interface CallEnd {
  readonly symbol: FoundSymbol;
  readonly isFile?: boolean;
  readonly wholeRange?: Range;
}

export class CallGraph {
  readonly #nodes = new Map<string, CallNode>();
  readonly #edges = new Map<string, OpenEdge>();
  readonly #maxSites: number;
  readonly #origin: RepositoryId | undefined;
  #siteCount = 0;

  /** Repositories are sorted after `origin`. */
  constructor(maxSites: number, origin: RepositoryId | undefined) {
    this.#maxSites = maxSites;
    this.#origin = origin;
  }

  get siteCount(): number {
    return this.#siteCount;
  }

  get isFull(): boolean {
    return this.#siteCount >= this.#maxSites;
  }

  get nodes(): readonly CallNode[] {
    return [...this.#nodes.values()];
  }

  get edges(): readonly CallEdge[] {
    return [...this.#edges.values()];
  }

  addRoot(end: CallEnd): CallNode {
    return this.#node(end, 0).node;
  }

  /**
   * Adds the calls of one level in a fixed order, as far as the limit allows. Returns the new definitions that are
   * reached with more than the same name.
   */
  addLevel(found: readonly FoundCall[], direction: "incoming" | "outgoing", depth: number): CallNode[] {
    const next = new Set<CallNode>();
    const sorted = [...found].sort((left, right) => this.#compare(left, right));
    for (const { known, other, certainty, call } of sorted) {
      if (this.isFull) break;
      const { node, isNew } = this.#node(other, depth);
      if (isNew && certainty !== "name" && !node.isFile) next.add(node);
      const [caller, callee] = direction === "incoming" ? [node, known] : [known, node];
      this.#addSite(caller, callee, certainty, call);
    }
    return [...next];
  }

  #addSite(caller: CallNode, callee: CallNode, certainty: Certainty, { range, lineContent }: CallSite): void {
    const key = `${certainty}\n${keyOf(caller.symbol)}\n${keyOf(callee.symbol)}`;
    const edge = this.#edges.get(key) ?? { caller, callee, certainty, sites: [] };
    this.#edges.set(key, edge);
    if (edge.sites.some((each) => each.range.start.byteOffset === range.start.byteOffset)) return;
    edge.sites.push({ range, lineContent });
    this.#siteCount++;
  }

  #node({ symbol, isFile = false, wholeRange }: CallEnd, depth: number): { node: CallNode; isNew: boolean } {
    const key = keyOf(symbol);
    const known = this.#nodes.get(key);
    if (known !== undefined) return { node: known, isNew: false };
    const node: CallNode = { symbol, isFile, depth, wholeRange };
    this.#nodes.set(key, node);
    return { node, isNew: true };
  }

  #compare(left: FoundCall, right: FoundCall): number {
    const isElsewhere = ({ other }: FoundCall) => Number(other.symbol.document.repositoryId !== this.#origin);
    const at = ({ other }: FoundCall) => other.symbol.document;
    return (
      compareCertainty(left.certainty, right.certainty) ||
      isElsewhere(left) - isElsewhere(right) ||
      at(left).repositoryId - at(right).repositoryId ||
      compareText(at(left).path, at(right).path) ||
      left.other.symbol.start - right.other.symbol.start ||
      left.call.range.start.byteOffset - right.call.range.start.byteOffset
    );
  }
}

/** Names of constructors that are called by the name of their type. */
const constructorNames: ReadonlySet<string> = new Set([
  "constructor",
  "__init__",
  "__construct",
  "init",
  "initialize",
]);

/** The definitions whose callers are searched. */
export class CallTargets {
  readonly #byName = new Map<string, CallNode[]>();
  readonly #byDefinition = new Map<string, CallNode[]>();

  constructor(targets: readonly CallNode[]) {
    for (const target of targets) {
      const { symbol } = target;
      const name = calledName(symbol);
      addTo(this.#byName, name, target);
      addTo(this.#byDefinition, keyOf(symbol), target);
      if (symbol.parent.name === name) addTo(this.#byDefinition, constructorKeyOf(symbol, name), target);
    }
  }

  /** By the name in calls. */
  get byName(): ReadonlyMap<string, readonly CallNode[]> {
    return this.#byName;
  }

  /** Returns the targets of a call that refers to `definition`: if it is a type, also its constructors. */
  calledAs(definition: FoundSymbol): readonly CallNode[] {
    const own = this.#byDefinition.get(keyOf(definition)) ?? [];
    const constructors = this.#byDefinition.get(constructorKeyOf(definition, definition.name)) ?? [];
    return constructors.length === 0 ? own : [...new Set([...own, ...constructors])];
  }
}

/** Returns a key for the constructors of a type in the definition's file. */
function constructorKeyOf({ document }: FoundSymbol, typeName: string): string {
  return `${document.repositoryId} new ${document.path}\n${typeName}`;
}

function addTo(map: Map<string, CallNode[]>, key: string, node: CallNode): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [node]);
  else known.push(node);
}

/** Returns the name by which a definition is called. */
function calledName({ name, kind, parent }: FoundSymbol): string {
  const isConstructor = kind === "constructor" || (constructorNames.has(name) && parent.kind !== "");
  return isConstructor && parent.name !== "" ? parent.name : name;
}

/** A call between a definition that is already in the graph and another one. */
export interface FoundCall {
  readonly known: CallNode;
  readonly other: CallEnd;
  readonly certainty: Certainty;
  readonly call: CallSite;
}

/** A file with parsed calls. */
export type CallingFile = FoundSymbol["document"];

/** Returns the definition that contains a call, or its file. */
export function callerOf(file: CallingFile, { enclosing }: CodeCall): CallEnd {
  return enclosing === undefined ? fileEnd(file) : definitionEnd(file, enclosing);
}

export function definitionEnd(file: CallingFile, definition: CodeDefinition): CallEnd {
  return { symbol: toFoundDefinition(file, definition), wholeRange: definition.wholeRange };
}

function fileEnd(document: CallingFile): CallEnd {
  const start = { byteOffset: 0, lineNumber: 1, column: 1 };
  const range = { start, end: start };
  const name = document.path.slice(document.path.lastIndexOf("/") + 1);
  const parent = { name: "", kind: "" as const };
  const symbol: FoundSymbol = {
    document,
    name,
    kind: "module",
    isLocal: false,
    parent,
    range,
    start: 0,
    end: 0,
    line: "",
    score: 0,
  };
  return { symbol, isFile: true, wholeRange: range };
}

/** Returns a key that is the same for a definition at the same byte offset in all revisions of its file. */
export function keyOf({
  document,
  range,
  start,
  end,
}: Pick<FoundSymbol, "document" | "range" | "start" | "end">) {
  const isFile = start === 0 && end === 0;
  return `${document.repositoryId} ${isFile ? -1 : range.start.byteOffset} ${document.path}`;
}

export function sourceOf(
  { repositoryId, path, language }: CallingFile,
  imports: readonly string[],
): ReferenceSource {
  return { repositoryId, path, language, imports };
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
