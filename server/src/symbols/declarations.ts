/**
 * What a document declares, and where that counts, by the scopes of its language (`scopes/<grammar>.scm`).
 *
 * What a pattern captures:
 *
 *     @scope           what names declared in it count for; @scope.function, where hoisted ones do
 *     @scope.outside   a part of a scope in which its names do not count (what a comprehension goes through)
 *     @scope.class     what is declared right in it does not count in functions below (Python)
 *     @scope.closed    a function in which no names of outer scopes count (Ruby's `def`)
 *     @head            with a @scope, where it begins: a head that stands in front of it (Dart)
 *     @local           declares a name in the scope around it
 *     @local.outer     … in the scope around that one: a function's own name
 *     @local.hoisted   … in the function around it: JavaScript's `var`
 *     @local.declarator  has the name somewhere inside, as in `definitions.ts`
 *     @local.pattern   has several names inside: Rust's patterns; also @local.hoisted.pattern
 *     @local.names     … each before its type and its value: Julia's parameters
 *     @local.assigned  the same, unless a scope around that one has the name already: `name = 1`
 *     @local.marked    has the name behind a sign: `$name`
 *     @declaration     with a @local, where it begins to count: behind this
 *     @alias           a name for something from elsewhere, in this document alone
 *     @elsewhere       a name that is declared, in the scope around it, to be that of an outer one (`global x`)
 *     @member          a name that only types can tell the meaning of: `a.name`
 *     @value           a local that is no function by its type: a call of that name means something else (Kotlin)
 *     @global          a name that is none of a local: of a function or a type, where variables are apart from them
 */

import type { Node, QueryMatch, Tree } from "web-tree-sitter";
import type { Definition } from "#model/symbol";
import { Budget } from "./budget";
import { nameInDeclarator, namesInList, namesInPattern } from "./declarator";
import type { NameRules } from "./grammars";
import { type Body, bodyAround } from "./namelessBodies";
import { typeKinds } from "./nesting";
import type { DecodedText } from "./sourceText";

export interface Scope {
  readonly start: number;
  readonly end: number;
  readonly isFunction: boolean;
  readonly isClass: boolean;
  readonly isOutside: boolean;
  readonly isClosed: boolean;
  /** The scope around it in the text. */
  readonly around: Scope | undefined;
  /** Where names are looked up that it does not declare. */
  readonly outer: Scope | undefined;
  /** Declared in it, by name; ascending. */
  readonly locals: Map<string, Local[]>;
  readonly elsewhere: Set<string>;
}

export interface Local {
  readonly at: number;
  /** Where it begins to count. */
  readonly from: number;
  readonly isAlias: boolean;
  readonly isValue: boolean;
}

/** Scopes can be nested without end. */
const scopesMs = 500;
/** So can classes without names, and a text can have any number of them. */
const bodiesMs = 500;

/** What a document declares: its definitions, and its locals by scope. */
export class Declarations {
  readonly rules: NameRules;
  readonly source: DecodedText;
  readonly #definitions: readonly Definition[];
  readonly #byName = new Map<string, Definition[]>();
  readonly #byStart: ReadonlyMap<number, Definition>;
  readonly #members = new Set<number>();
  readonly #globals = new Set<number>();
  readonly #values = new Set<number>();
  readonly #assigned: { readonly node: Node; readonly scope: Scope }[] = [];
  readonly #bodies = new Map<number, Body | undefined>();
  readonly #bodyBudget = new Budget(bodiesMs);
  readonly #scopes: Scope[] = [];
  readonly #file: Scope;

  constructor(
    definitions: readonly Definition[],
    matches: readonly QueryMatch[],
    source: DecodedText,
    rules: NameRules,
  ) {
    this.#definitions = definitions;
    this.#byStart = new Map(definitions.map((definition) => [definition.nameStart, definition]));
    for (const definition of definitions) {
      const before = this.#byName.get(definition.name);
      if (before === undefined) this.#byName.set(definition.name, [definition]);
      else before.push(definition);
    }
    this.source = source;
    this.rules = rules;
    this.#file = newScope(0, source.text.length, undefined, "scope.function");
    this.#readScopes(matches);
    const budget = new Budget(scopesMs);
    for (const { captures } of matches) this.#readMarks(captures);
    for (const { captures } of matches) {
      budget.check();
      this.#readLocals(captures);
    }
    this.#readAssigned();
  }

  definitionAt(nameStart: number): Definition | undefined {
    return this.#byStart.get(nameStart);
  }

  definitionsNamed(name: string): readonly Definition[] {
    return this.#byName.get(name) ?? [];
  }

  definition(index: number): Definition | undefined {
    return this.#definitions[index];
  }

  isMember(index: number): boolean {
    return this.#members.has(index);
  }

  isGlobal(index: number): boolean {
    return this.#globals.has(index);
  }

  /** What is declared in a scope by this name. */
  localsIn(scope: Scope, name: string): readonly Local[] {
    return scope.locals.get(this.rules.ignoresCase ? name.toLowerCase() : name) ?? [];
  }

  /** The innermost scope around a place. */
  scopeAt(index: number): Scope {
    let low = 0;
    let high = this.#scopes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#scopes[middle]?.start ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    let scope: Scope = this.#scopes[low - 1] ?? this.#file;
    while (scope.end <= index && scope.around !== undefined) scope = scope.around;
    return scope.isOutside ? (scope.outer ?? scope) : scope;
  }

  /** What is around a member of a class without a name, which is no definition, or of an object. */
  namelessBodyAround(definition: Definition, tree: Tree): Body | undefined {
    const { nameStart, parent, owner } = definition;
    if (this.#bodies.has(nameStart)) return this.#bodies.get(nameStart);
    this.#bodyBudget.check();
    const holder = this.#definitions[parent];
    const isSought = holder === undefined ? owner === "" : !hasMembers(holder);
    const from = holder === undefined ? 0 : this.source.indexAt(holder.start);
    const body = isSought ? bodyAround(this.source.indexAt(nameStart), from, tree.rootNode) : undefined;
    this.#bodies.set(nameStart, body);
    return body;
  }

  isFile(scope: Scope): boolean {
    return scope === this.#file;
  }

  #readScopes(matches: readonly QueryMatch[]): void {
    const found = matches
      .flatMap(({ captures }) => scopesOf(captures))
      .sort((left, right) => left.start - right.start || right.end - left.end || left.inner - right.inner);
    let around = this.#file;
    for (const { name, start, end } of found) {
      while (around.end <= start && around.around !== undefined) around = around.around;
      around = newScope(start, end, around, name);
      this.#scopes.push(around);
    }
  }

  /** What is no declaration: before these, because some of it only looks like one. */
  #readMarks(captures: QueryMatch["captures"]): void {
    for (const { name: capture, node } of captures) {
      if (capture === "member") this.#members.add(node.startIndex);
      else if (capture === "global") this.#globals.add(node.startIndex);
      else if (capture === "value") this.#values.add(node.startIndex);
    }
  }

  #readLocals(captures: QueryMatch["captures"]): void {
    const behind = captures.find(({ name }) => name === "declaration")?.node.endIndex;
    for (const { name: capture, node } of captures) {
      if (capture === "elsewhere") this.scopeAt(node.startIndex).elsewhere.add(node.text);
      else if (capture === "alias") this.#declare(this.#file, node.startIndex, node.endIndex, 0, true);
      else if (capture === "local.assigned")
        for (const name of namesInList(node))
          this.#assigned.push({ node: name, scope: this.scopeAt(name.startIndex) });
      else if (capture === "local.names")
        for (const name of namesInList(node)) {
          // `f(name = 1)` has the name of a member, unless that is a head: `f(name = 1) = name`.
          this.#members.delete(name.startIndex);
          this.#readLocal(capture, name, behind);
        }
      else if (capture.endsWith(".pattern"))
        for (const name of namesInPattern(node)) this.#readLocal(capture, name, behind);
      else if (capture.startsWith("local")) this.#readLocal(capture, node, behind);
    }
  }

  #readLocal(capture: string, node: Node, behind: number | undefined): void {
    const name = capture === "local.declarator" ? nameInDeclarator(node, false)?.name : node;
    if (name === undefined || this.#members.has(name.startIndex)) return;
    let scope = this.scopeAt(name.startIndex);
    if (capture === "local.outer") scope = scope.outer ?? scope;
    const isHoisted = capture.startsWith("local.hoisted");
    if (isHoisted) while (!scope.isFunction && scope.outer !== undefined) scope = scope.outer;
    const from = this.rules.isOrdered && !isHoisted ? (behind ?? name.endIndex) : scope.start;
    const at = name.startIndex + (capture === "local.marked" ? 1 : 0);
    this.#declare(scope, at, name.endIndex, from, false);
  }

  /** Outer scopes first: what they have is none of an inner one's. */
  #readAssigned(): void {
    const budget = new Budget(scopesMs);
    this.#assigned.sort(
      ({ scope: left }, { scope: right }) => left.start - right.start || right.end - left.end,
    );
    for (const { node, scope } of this.#assigned) {
      budget.check();
      const from = this.rules.isOrdered ? node.endIndex : scope.start;
      if (!this.#members.has(node.startIndex) && !this.#isKnown(node.text, from, scope))
        this.#declare(scope, node.startIndex, node.endIndex, from, false);
    }
  }

  /** Whether a name that is assigned means what is declared already: what the file has does not count in functions. */
  #isKnown(name: string, from: number, innermost: Scope): boolean {
    let isInFunction = false;
    for (let scope: Scope | undefined = innermost; scope !== undefined; scope = scope.outer) {
      if (scope.elsewhere.has(name)) return true;
      const isCounting = !(isInFunction && this.isFile(scope));
      if (isCounting && scope.locals.get(name)?.some((local) => local.from <= from)) return true;
      if (scope.isClosed) return false;
      isInFunction ||= scope.isFunction;
    }
    return false;
  }

  #declare(scope: Scope, at: number, end: number, from: number, isAlias: boolean): void {
    const text = this.source.text.slice(at, end);
    const name = this.rules.ignoresCase ? text.toLowerCase() : text;
    const local = { at, from, isAlias, isValue: this.#values.has(at) };
    const before = scope.locals.get(name);
    if (before === undefined) scope.locals.set(name, [local]);
    else before.push(local);
  }
}

/** Where scopes begin and end. Of several of one range, the outer ones have a smaller `inner`. */
function scopesOf(captures: QueryMatch["captures"]) {
  const head = captures.find(({ name }) => name === "head")?.node.startIndex;
  return captures
    .filter(({ name }) => name.startsWith("scope"))
    .map(({ name, node }) => ({
      name,
      start: head ?? node.startIndex,
      end: node.endIndex,
      inner: name === "scope.outside" ? 0 : 1,
    }));
}

function newScope(start: number, end: number, around: Scope | undefined, capture: string): Scope {
  const isOutside = capture === "scope.outside";
  return {
    start,
    end,
    around,
    outer: isOutside ? around?.outer : around,
    isOutside,
    isFunction: capture === "scope.function" || capture === "scope.closed",
    isClosed: capture === "scope.closed",
    isClass: capture === "scope.class",
    locals: new Map(),
    elsewhere: new Set(),
  };
}

/** Whether names behind it and a sign are those of its members. */
export function hasMembers({ kind }: Definition): boolean {
  return typeKinds.has(kind) || kind === "namespace" || kind === "module";
}
