/**
 * Which declaration of a document a name means, by the scopes of its language (`scopes/<grammar>.scm`).
 *
 * What a pattern captures:
 *
 *     @scope           what names declared in it count for; @scope.function, where hoisted ones do
 *     @scope.outside   a part of a scope in which its names do not count (what a comprehension goes through)
 *     @scope.class     what is declared right in it does not count in functions below (Python)
 *     @local           declares a name in the scope around it
 *     @local.outer     … in the scope around that one: a function's own name
 *     @local.hoisted   … in the function around it: JavaScript's `var`
 *     @local.declarator  has the name somewhere inside, as in `definitions.ts`
 *     @local.pattern   has any number of names inside: Rust's patterns
 *     @declaration     with a @local, where it begins to count: behind this
 *     @alias           a name for something from elsewhere, in this document alone
 *     @elsewhere       a name that is declared, in the scope around it, to be that of an outer one (`global x`)
 *     @member          a name that only types can tell the meaning of: `a.name`
 */

import type { Node, QueryMatch, Tree } from "web-tree-sitter";
import type { Definition } from "#model/symbol";
import { type Access, accessBefore } from "./access";
import { Budget } from "./budget";
import { nameInDeclarator, namesInPattern } from "./declarator";
import type { NameRules } from "./grammars";
import { type Body, bodyAround } from "./namelessBodies";
import { isFunctionKind, typeKinds } from "./nesting";
import type { DecodedText } from "./sourceText";

interface Scope {
  readonly start: number;
  readonly end: number;
  readonly isFunction: boolean;
  readonly isClass: boolean;
  readonly isOutside: boolean;
  /** The scope around it in the text. */
  readonly around: Scope | undefined;
  /** Where names are looked up that it does not declare. */
  readonly outer: Scope | undefined;
  /** Declared in it, by name; ascending. */
  readonly locals: Map<string, Local[]>;
  readonly elsewhere: Set<string>;
}

interface Local {
  readonly at: number;
  /** Where it begins to count. */
  readonly from: number;
  readonly isAlias: boolean;
}

export interface Resolved {
  readonly declaredAt: number;
  readonly isLocal: boolean;
  /** The place is that of a declaration. */
  readonly isDeclaration: boolean;
}

/** Scopes can be nested without end. */
const scopesMs = 500;
/** So can classes without names, and a text can have any number of them. */
const bodiesMs = 500;

const nowhere: Resolved = { declaredAt: -1, isLocal: false, isDeclaration: false };

/** Leaves of these kinds are members, in every grammar. */
const memberTypes = /^(?:private_)?property_identifier$|field_identifier|^property_name$|hash_key_symbol/;

/** What a document declares: its definitions, and its locals by scope. */
export class Declarations {
  readonly rules: NameRules;
  readonly source: DecodedText;
  readonly #definitions: readonly Definition[];
  readonly #byName = new Map<string, Definition[]>();
  readonly #byStart: ReadonlyMap<number, Definition>;
  readonly #members = new Set<number>();
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
    for (const { captures } of matches) {
      budget.check();
      this.#readLocals(captures);
    }
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
      .flatMap(({ captures }) => captures)
      .filter(({ name }) => name.startsWith("scope"))
      .map(({ name, node }) => ({ name, start: node.startIndex, end: node.endIndex }))
      .sort((left, right) => left.start - right.start || right.end - left.end);
    let around = this.#file;
    for (const { name, start, end } of found) {
      while (around.end <= start && around.around !== undefined) around = around.around;
      around = newScope(start, end, around, name);
      this.#scopes.push(around);
    }
  }

  #readLocals(captures: QueryMatch["captures"]): void {
    const behind = captures.find(({ name }) => name === "declaration")?.node.endIndex;
    for (const { name: capture, node } of captures) {
      if (capture === "member") this.#members.add(node.startIndex);
      else if (capture === "elsewhere") this.scopeAt(node.startIndex).elsewhere.add(node.text);
      else if (capture === "alias") this.#declare(this.#file, node, 0, true);
      else if (capture === "local.pattern")
        for (const name of namesInPattern(node)) this.#readLocal(capture, name, behind);
      else if (capture.startsWith("local")) this.#readLocal(capture, node, behind);
    }
  }

  #readLocal(capture: string, node: Node, behind: number | undefined): void {
    const name = capture === "local.declarator" ? nameInDeclarator(node, false)?.name : node;
    if (name === undefined) return;
    let scope = this.scopeAt(name.startIndex);
    if (capture === "local.outer") scope = scope.outer ?? scope;
    if (capture === "local.hoisted")
      while (!scope.isFunction && scope.outer !== undefined) scope = scope.outer;
    const from =
      this.rules.isOrdered && capture !== "local.hoisted" ? (behind ?? name.endIndex) : scope.start;
    this.#declare(scope, name, from, false);
  }

  #declare(scope: Scope, node: Node, from: number, isAlias: boolean): void {
    const at = node.startIndex;
    const name = this.source.text.slice(at, node.endIndex);
    const before = scope.locals.get(name);
    if (before === undefined) scope.locals.set(name, [{ at, from, isAlias }]);
    else before.push({ at, from, isAlias });
  }
}

function newScope(start: number, end: number, around: Scope | undefined, capture: string): Scope {
  const isOutside = capture === "scope.outside";
  return {
    start,
    end,
    around,
    outer: isOutside ? around?.outer : around,
    isOutside,
    isFunction: capture === "scope.function",
    isClass: capture === "scope.class",
    locals: new Map(),
    elsewhere: new Set(),
  };
}

/** What the name at `index` means. */
export function resolve(
  name: string,
  index: number,
  leaf: Node | undefined,
  declarations: Declarations,
): Resolved {
  const { source, rules } = declarations;
  // `this.#name`, `@name`: the sign is a part of the leaf.
  const from = leaf !== undefined && index - leaf.startIndex <= 2 ? leaf.startIndex : index;
  const access = accessBefore(from, source.text, rules);
  const isMember = leaf !== undefined && (memberTypes.test(leaf.type) || declarations.isMember(index));
  if (isMember) return access === undefined ? nowhere : accessed(name, index, access, leaf, declarations);
  const local = findLocal(name, index, declarations);
  if (access !== undefined && local?.isAtDeclaration !== true && !access.isOwnPath)
    return accessed(name, index, access, leaf, declarations);
  const definition = visibleDefinition(name, index, leaf, declarations);
  if (definition !== undefined && (local === undefined || isWithin(definition, local, declarations))) {
    const { nameStart, isLocal } = definition;
    return { declaredAt: nameStart, isLocal, isDeclaration: false };
  }
  if (local === undefined) return nowhere;
  const { scope, at, isAlias } = local;
  const declaredAt = source.byteAt(at);
  const known = declarations.definitionAt(declaredAt);
  const isLocal = known?.isLocal ?? (isAlias || !declarations.isFile(scope));
  return { declaredAt, isLocal, isDeclaration: isLocal && local.isAtDeclaration };
}

interface FoundLocal extends Local {
  readonly scope: Scope;
  readonly isAtDeclaration: boolean;
}

function findLocal(name: string, index: number, declarations: Declarations): FoundLocal | undefined {
  const { redeclares } = declarations.rules;
  const innermost = declarations.scopeAt(index);
  let isElsewhere = false;
  for (let scope: Scope | undefined = innermost; scope !== undefined; scope = scope.outer) {
    const locals: readonly Local[] = scope.locals.get(name) ?? [];
    const own = locals.find(({ at }) => at === index);
    if (own !== undefined && !scope.elsewhere.has(name))
      return { ...(redeclares ? own : (locals[0] ?? own)), scope, isAtDeclaration: true };
    if (scope.elsewhere.has(name)) {
      isElsewhere = true;
      continue;
    }
    if (isElsewhere && !declarations.isFile(scope) && !scope.isFunction) continue;
    if (scope.isClass && scope !== innermost) continue;
    const counting = locals.filter(({ from }) => from <= index);
    const local = redeclares ? counting.at(-1) : counting[0];
    if (local !== undefined) return { ...local, scope, isAtDeclaration: false };
  }
  // A declaration that does not count yet where it stands: `@local.outer`.
  return undefined;
}

/** The definition of that name in this document that can be named at this place without saying of what it is. */
function visibleDefinition(
  name: string,
  index: number,
  leaf: Node | undefined,
  declarations: Declarations,
): Definition | undefined {
  const called = isCalled(leaf);
  const offset = declarations.source.byteAt(index);
  let best: Definition | undefined;
  let bestStart = -2;
  for (const definition of declarations.definitionsNamed(name)) {
    // The name of a package says where a file belongs, and nothing in it goes by that.
    if (definition.kind === "package") continue;
    const holder = declarations.definition(definition.parent);
    if (holder === undefined && definition.owner !== "") continue;
    if (holder !== undefined) {
      const isMember = typeKinds.has(holder.kind);
      const isTransparent = holder.kind === "enum" && declarations.rules.membersInScope;
      if (isMember && !declarations.rules.membersInScope) continue;
      // Constructors, and C#'s destructors: in their class its name means the class.
      if (isMember && holder.name === name && isFunctionKind(definition.kind)) continue;
      if (!isTransparent && (offset < holder.start || offset >= holder.end)) continue;
    }
    // What can be named outside of its enum counts like what is declared beside the enum.
    const isInHolder = holder !== undefined && offset >= holder.start && offset < holder.end;
    const scope = holder === undefined || isInHolder ? holder : declarations.definition(holder.parent);
    const start = scope?.start ?? -1;
    // A class may have a field and a method of one name.
    const fitsBetter = called && start === bestStart && best !== undefined && !isFunctionKind(best.kind);
    if (start <= bestStart && !fitsBetter) continue;
    const body = leaf && declarations.namelessBodyAround(definition, leaf.tree);
    const isInBody = body !== undefined && index >= body.start && index < body.end;
    if (body !== undefined && !(isInBody && declarations.rules.membersInScope)) continue;
    best = definition;
    bestStart = start;
  }
  return best;
}

function isCalled(leaf: Node | undefined): boolean {
  return /call|invocation/.test(leaf?.parent?.type ?? "");
}

/** Whether the definition is nearer than the local: its holder is inside the local's scope. */
function isWithin(definition: Definition, local: FoundLocal, declarations: Declarations): boolean {
  if (declarations.source.byteAt(local.at) === definition.nameStart) return true;
  const holder = declarations.definition(definition.parent);
  if (holder === undefined) return declarations.isFile(local.scope) && !local.isAlias;
  return holder.start > declarations.source.byteAt(local.scope.start);
}

const self = /^(?:this|self|cls|Self|\$this|static)$/;

/** What a name behind `.` means: only types tell, but for members of the class around, and of types that are named. */
function accessed(
  name: string,
  index: number,
  { object, objectAt, isQualified }: Access,
  leaf: Node | undefined,
  declarations: Declarations,
): Resolved {
  if (isQualified || object === "") return nowhere;
  const known = declarations
    .definitionsNamed(name)
    .map((definition) => ({ definition, holder: declarations.definition(definition.parent) }));
  let members: readonly { readonly definition: Definition; readonly holder: Definition | undefined }[];
  if (self.test(object)) {
    const offset = declarations.source.byteAt(index);
    const around = known
      .filter(({ holder }) => holder !== undefined && hasMembers(holder))
      .filter(({ holder }) => holder !== undefined && holder.start <= offset && offset < holder.end);
    const nearest = around.reduce((start, { holder }) => Math.max(start, holder?.start ?? -1), -1);
    members = around.filter(({ holder }) => holder?.start === nearest);
  } else {
    const local = findLocal(object, objectAt, declarations);
    if (local !== undefined && !declarations.isFile(local.scope)) return nowhere;
    members = known.filter(({ definition, holder }) =>
      holder === undefined ? definition.owner === object : holder.name === object && hasMembers(holder),
    );
    if (members.some(({ holder }) => holder !== members[0]?.holder)) return nowhere;
  }
  const called = isCalled(leaf) || isCalled(leaf?.parent ?? undefined);
  const member = members.find(({ definition }) => called && isFunctionKind(definition.kind)) ?? members[0];
  if (member === undefined) return nowhere;
  const { nameStart, isLocal } = member.definition;
  return { declaredAt: nameStart, isLocal, isDeclaration: false };
}

function hasMembers({ kind }: Definition): boolean {
  return typeKinds.has(kind) || kind === "namespace" || kind === "module";
}
