/**
 * Collects the declarations of a document with their scopes, by the scope query of its grammar
 * (`grammars/scopes/<grammar>.scm`).
 *
 * Captures:
 *
 *     @scope           a scope; @scope.function is one to which hoisted declarations belong
 *     @scope.outside   a part of a scope in which its names are not visible (the iterable of a comprehension)
 *     @scope.class     its direct declarations are not visible in functions inside (Python)
 *     @scope.closed    a function in which names of outer scopes are not visible (Ruby's `def`)
 *     @head            with a @scope: the scope begins here (Dart)
 *     @local           declares a name in the enclosing scope
 *     @local.outer     … in the scope that contains that one: the name of a function
 *     @local.hoisted   … in the enclosing function: JavaScript's `var`
 *     @local.declarator  contains the name, as in `definitions.ts`
 *     @local.pattern   contains several names: Rust's patterns; also @local.hoisted.pattern
 *     @local.names     … each before its type and its value: Julia's parameters
 *     @local.assigned  the same, unless an outer scope declares the name already: `name = 1`
 *     @local.marked    a name with a sigil: `$name`
 *     @declaration     with a @local: the name is visible after this
 *     @alias           a local name for something imported
 *     @elsewhere       a name declared to be that of an outer scope (`global x`)
 *     @member          a name that only types can resolve: `a.name`
 *     @value           a local that is not callable by its type, so that a call refers to something else (Kotlin)
 *     @global          a name that is never a local: of a function or a type, where variables have their own namespace
 */

import type { Node, QueryMatch, Tree } from "web-tree-sitter";
import { partitionPoint } from "#base/binarySearch";
import { EnclosingDefinitions } from "#model/enclosing";
import { type Definition, typeKinds } from "#model/symbol";
import { Budget } from "#symbols/budget";
import { type Body, enclosingBody } from "#symbols/definitions/anonymousBodies";
import { nameInDeclarator, namesInList, namesInPattern } from "#symbols/definitions/declarator";
import type { NameRules } from "#symbols/grammars/grammars";
import type { DecodedText } from "#symbols/sourceText";

export interface Scope {
  readonly start: number;
  readonly end: number;
  readonly isFunction: boolean;
  readonly isClass: boolean;
  readonly isOutside: boolean;
  readonly isClosed: boolean;
  /** The innermost scope that contains it in the text. */
  readonly enclosing: Scope | undefined;
  /** The scope in which to look up names that this one does not declare. */
  readonly outer: Scope | undefined;
  /** The declarations in it, by name, ascending. */
  readonly locals: Map<string, Local[]>;
  /** Names declared to be those of an outer scope: `global x`. */
  readonly outerNames: Set<string>;
}

/** A declaration in a scope, in UTF-16 indices. */
export interface Local {
  readonly start: number;
  /** The index from which it is visible. */
  readonly visibleFrom: number;
  readonly isAlias: boolean;
  readonly isValue: boolean;
}

/** The time limit for scopes, which hostile text can nest without bounds. */
const scopesMs = 500;
/** The time limit for anonymous classes, which hostile text can nest without bounds too. */
const bodiesMs = 500;

/** The definitions of a document, and its locals by scope. */
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
  #enclosing: EnclosingDefinitions<Definition> | undefined;

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

  /** Returns the definitions that contain a byte offset, innermost first. */
  definitionsAround(offset: number): readonly Definition[] {
    this.#enclosing ??= new EnclosingDefinitions(this.#definitions);
    return this.#enclosing.around(offset);
  }

  isMember(index: number): boolean {
    return this.#members.has(index);
  }

  isGlobal(index: number): boolean {
    return this.#globals.has(index);
  }

  /** Returns the declarations of a name in a scope. */
  localsIn(scope: Scope, name: string): readonly Local[] {
    return scope.locals.get(this.rules.ignoresCase ? name.toLowerCase() : name) ?? [];
  }

  /** Returns the innermost scope at an index. */
  scopeAt(index: number): Scope {
    const isBefore = (at: number) => (this.#scopes[at]?.start ?? 0) <= index;
    let scope: Scope = this.#scopes[partitionPoint(0, this.#scopes.length, isBefore) - 1] ?? this.#file;
    while (scope.end <= index && scope.enclosing !== undefined) scope = scope.enclosing;
    return scope.isOutside ? (scope.outer ?? scope) : scope;
  }

  /** Returns the body of the anonymous class or object that contains a definition. Throws `BudgetSpent`. */
  enclosingAnonymousBody(definition: Definition, tree: Tree): Body | undefined {
    const { nameStart, parent, owner } = definition;
    if (this.#bodies.has(nameStart)) return this.#bodies.get(nameStart);
    this.#bodyBudget.check();
    const parentDefinition = this.#definitions[parent];
    const mayHaveBody = parentDefinition === undefined ? owner === "" : !hasStaticMembers(parentDefinition);
    const from = parentDefinition === undefined ? 0 : this.source.indexAt(parentDefinition.start);
    const body = mayHaveBody ? enclosingBody(this.source.indexAt(nameStart), from, tree.rootNode) : undefined;
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
    let innermost = this.#file;
    for (const { name, start, end } of found) {
      while (innermost.end <= start && innermost.enclosing !== undefined) innermost = innermost.enclosing;
      innermost = newScope(start, end, innermost, name);
      this.#scopes.push(innermost);
    }
  }

  /** Must run before `#readLocals`, because some marked names only look like declarations. */
  #readMarks(captures: QueryMatch["captures"]): void {
    for (const { name: capture, node } of captures) {
      if (capture === "member") this.#members.add(node.startIndex);
      else if (capture === "global") this.#globals.add(node.startIndex);
      else if (capture === "value") this.#values.add(node.startIndex);
    }
  }

  #readLocals(captures: QueryMatch["captures"]): void {
    const declarationEnd = captures.find(({ name }) => name === "declaration")?.node.endIndex;
    for (const { name: capture, node } of captures) {
      if (capture === "elsewhere") this.scopeAt(node.startIndex).outerNames.add(node.text);
      else if (capture === "alias") this.#declare(this.#file, node.startIndex, node.endIndex, 0, true);
      else if (capture === "local.assigned")
        for (const name of namesInList(node))
          this.#assigned.push({ node: name, scope: this.scopeAt(name.startIndex) });
      else if (capture === "local.names")
        for (const name of namesInList(node)) {
          // `f(name = 1)` refers to a member, unless it is the head of a function: `f(name = 1) = name`.
          this.#members.delete(name.startIndex);
          this.#readLocal(capture, name, declarationEnd);
        }
      else if (capture.endsWith(".pattern"))
        for (const name of namesInPattern(node)) this.#readLocal(capture, name, declarationEnd);
      else if (capture.startsWith("local")) this.#readLocal(capture, node, declarationEnd);
    }
  }

  #readLocal(capture: string, node: Node, declarationEnd: number | undefined): void {
    const name = capture === "local.declarator" ? nameInDeclarator(node, false)?.name : node;
    if (name === undefined || this.#members.has(name.startIndex)) return;
    let scope = this.scopeAt(name.startIndex);
    if (capture === "local.outer") scope = scope.outer ?? scope;
    const isHoisted = capture.startsWith("local.hoisted");
    if (isHoisted) while (!scope.isFunction && scope.outer !== undefined) scope = scope.outer;
    const visibleFrom = this.rules.isOrdered && !isHoisted ? (declarationEnd ?? name.endIndex) : scope.start;
    const at = name.startIndex + (capture === "local.marked" ? 1 : 0);
    this.#declare(scope, at, name.endIndex, visibleFrom, false);
  }

  /** Reads outer scopes first, because an assignment declares a name only if no outer scope does. */
  #readAssigned(): void {
    const budget = new Budget(scopesMs);
    this.#assigned.sort(
      ({ scope: left }, { scope: right }) => left.start - right.start || right.end - left.end,
    );
    for (const { node, scope } of this.#assigned) {
      budget.check();
      const visibleFrom = this.rules.isOrdered ? node.endIndex : scope.start;
      if (!this.#members.has(node.startIndex) && !this.#isKnown(node.text, visibleFrom, scope))
        this.#declare(scope, node.startIndex, node.endIndex, visibleFrom, false);
    }
  }

  /** Whether an assigned name is declared already. Declarations of the file do not count inside functions. */
  #isKnown(name: string, from: number, innermost: Scope): boolean {
    let isInFunction = false;
    for (let scope: Scope | undefined = innermost; scope !== undefined; scope = scope.outer) {
      if (scope.outerNames.has(name)) return true;
      const isVisible = !(isInFunction && this.isFile(scope));
      if (isVisible && scope.locals.get(name)?.some((local) => local.visibleFrom <= from)) return true;
      if (scope.isClosed) return false;
      isInFunction ||= scope.isFunction;
    }
    return false;
  }

  #declare(scope: Scope, start: number, end: number, visibleFrom: number, isAlias: boolean): void {
    const text = this.source.text.slice(start, end);
    const name = this.rules.ignoresCase ? text.toLowerCase() : text;
    const local = { start, visibleFrom, isAlias, isValue: this.#values.has(start) };
    const before = scope.locals.get(name);
    if (before === undefined) scope.locals.set(name, [local]);
    else before.push(local);
  }
}

/** Returns the ranges of scopes. Among equal ranges, outer scopes have a smaller `inner`. */
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

function newScope(start: number, end: number, enclosing: Scope | undefined, capture: string): Scope {
  const isOutside = capture === "scope.outside";
  return {
    start,
    end,
    enclosing,
    outer: isOutside ? enclosing?.outer : enclosing,
    isOutside,
    isFunction: capture === "scope.function" || capture === "scope.closed",
    isClosed: capture === "scope.closed",
    isClass: capture === "scope.class",
    locals: new Map(),
    outerNames: new Set(),
  };
}

/** Whether `name.member` refers to its members. */
export function hasStaticMembers({ kind }: Definition): boolean {
  return typeKinds.has(kind) || kind === "namespace" || kind === "module";
}
