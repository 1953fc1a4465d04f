/** Resolves a name to a declaration of the same document. */

import type { Node } from "web-tree-sitter";
import { type Definition, isFunctionKind, typeKinds } from "#model/symbol";
import { type Declarations, hasStaticMembers, type Local, type Scope } from "./declarations";
import { type MemberAccess, memberAccessBefore } from "./memberAccess";

export interface Resolved {
  /** As in `Occurrence`. */
  readonly declaredAt: number;
  readonly isLocal: boolean;
  /** Whether the name itself is a declaration. */
  readonly isDeclaration: boolean;
}

const unresolved: Resolved = { declaredAt: -1, isLocal: false, isDeclaration: false };

/** Leaf types that are members in every grammar. */
const memberTypes =
  /^(?:private_)?property_identifier$|field_identifier|^property_name$|hash_key_symbol|^(?:instance|class|global)_variable$|^simple_symbol$/;

/** Resolves the name at `index`, a UTF-16 index. `leaf` is its leaf, if there is one for this name alone. */
export function resolve(
  name: string,
  index: number,
  leaf: Node | undefined,
  declarations: Declarations,
): Resolved {
  const { source, rules } = declarations;
  // `this.#name`, `@name`: the sigil is part of the leaf.
  const from = leaf !== undefined && index - leaf.startIndex <= 2 ? leaf.startIndex : index;
  const access = memberAccessBefore(from, source.text, rules);
  const isMember = leaf !== undefined && (memberTypes.test(leaf.type) || declarations.isMember(index));
  if (isMember)
    return access === undefined ? unresolved : resolveMember(name, index, access, leaf, declarations);
  const { sigilVariable } = rules;
  const isVariable = sigilVariable !== undefined && [leaf?.type, leaf?.parent?.type].includes(sigilVariable);
  const isGlobal =
    sigilVariable === undefined ? declarations.isGlobal(leaf?.startIndex ?? index) : !isVariable;
  const isCall = isCalled(leaf);
  const local = isGlobal ? undefined : findLocal(name, index, isCall, declarations);
  if (access !== undefined && local?.isAtDeclaration !== true && !access.isOwnPath)
    return resolveMember(name, index, access, leaf, declarations);
  const definition = isVariable ? undefined : visibleDefinition(name, index, leaf, declarations);
  if (definition !== undefined && (local === undefined || isWithin(definition, local, declarations))) {
    const { nameStart, isLocal } = definition;
    return { declaredAt: nameStart, isLocal, isDeclaration: false };
  }
  if (local === undefined) return unresolved;
  const { scope, start, isAlias } = local;
  const declaredAt = source.byteAt(start);
  const known = declarations.definitionAt(declaredAt);
  const isLocal = known?.isLocal ?? (isAlias || !declarations.isFile(scope));
  return { declaredAt, isLocal, isDeclaration: isLocal && local.isAtDeclaration };
}

interface FoundLocal extends Local {
  readonly scope: Scope;
  readonly isAtDeclaration: boolean;
}

/** Returns the declaration that a name refers to at an index, if that is in a scope. */
export function findLocal(
  name: string,
  index: number,
  isCall: boolean,
  declarations: Declarations,
): FoundLocal | undefined {
  const { redeclares } = declarations.rules;
  const innermost = declarations.scopeAt(index);
  let isElsewhere = false;
  for (let scope: Scope | undefined = innermost; scope !== undefined; scope = scope.outer) {
    const locals = declarations.localsIn(scope, name);
    const own = locals.find(({ start }) => start === index);
    if (own !== undefined && !scope.outerNames.has(name))
      return { ...(redeclares ? own : (locals[0] ?? own)), scope, isAtDeclaration: true };
    if (scope.outerNames.has(name)) {
      isElsewhere = true;
      continue;
    }
    if (scope.isClass && scope !== innermost) continue;
    const visible = locals.filter(({ visibleFrom, isValue }) => visibleFrom <= index && !(isCall && isValue));
    const local = redeclares ? visible.at(-1) : visible[0];
    if (local !== undefined) return { ...local, scope, isAtDeclaration: false };
    if (scope.isClosed && !isElsewhere) return undefined;
  }
  // A declaration that is not visible at its own position: `@local.outer`.
  return undefined;
}

/** Returns the definition that an unqualified name refers to. */
function visibleDefinition(
  name: string,
  index: number,
  leaf: Node | undefined,
  declarations: Declarations,
): Definition | undefined {
  const isCall = isCalled(leaf);
  const offset = declarations.source.byteAt(index);
  let best: Definition | undefined;
  let bestStart = -2;
  for (const definition of declarations.definitionsNamed(name)) {
    // A package clause declares no name that the file could use.
    if (definition.kind === "package") continue;
    // Inside an anonymous function, only scopes decide.
    if (definition.parent < 0 && (definition.owner !== "" || definition.isLocal)) continue;
    const container = containerOf(definition, declarations);
    if (container !== undefined) {
      const isMember = typeKinds.has(container.kind);
      if (isMember && !declarations.rules.membersInScope) continue;
      // The name of a class inside it is the class, not its constructor or destructor.
      if (isMember && container.name === name && isFunctionKind(definition.kind)) continue;
      if (offset < container.start || offset >= container.end) continue;
    }
    const start = container?.start ?? -1;
    // A class may have a field and a method of the same name.
    const fitsBetter = isCall && start === bestStart && best !== undefined && !isFunctionKind(best.kind);
    if (start <= bestStart && !fitsBetter) continue;
    const body = leaf && declarations.enclosingAnonymousBody(definition, leaf.tree);
    const isInBody = body !== undefined && index >= body.start && index < body.end;
    if (body !== undefined && !(isInBody && declarations.rules.membersInScope)) continue;
    best = definition;
    bestStart = start;
  }
  return best;
}

/** Returns the definition within which another one can be used unqualified; undefined if that is the whole document. */
function containerOf(definition: Definition, declarations: Declarations): Definition | undefined {
  const parent = declarations.definition(definition.parent);
  const isOpen = parent?.kind === "enum" && declarations.rules.enumsAreOpen;
  return isOpen ? declarations.definition(parent.parent) : parent;
}

function isCalled(leaf: Node | undefined): boolean {
  return /call|invocation/.test(leaf?.parent?.type ?? "");
}

/** Whether the definition shadows the local: its container is inside the scope of the local. */
function isWithin(definition: Definition, local: FoundLocal, declarations: Declarations): boolean {
  if (declarations.source.byteAt(local.start) === definition.nameStart) return true;
  const container = containerOf(definition, declarations);
  if (container === undefined) return declarations.isFile(local.scope) && !local.isAlias;
  return container.start > declarations.source.byteAt(local.scope.start);
}

const self = /^(?:this|self|cls|Self|\$this|static)$/;

/** Resolves `object.name`. Only types could decide, except for members of the enclosing class and of named types. */
function resolveMember(
  name: string,
  index: number,
  { object, objectAt, isQualified }: MemberAccess,
  leaf: Node | undefined,
  declarations: Declarations,
): Resolved {
  if (isQualified || object === "") return unresolved;
  const { text, indexAt } = declarations.source;
  const isPrivate = hasPrivateMark(index, text);
  const known = declarations
    .definitionsNamed(name)
    .filter(({ nameStart }) => hasPrivateMark(indexAt(nameStart), text) === isPrivate)
    .map((definition) => ({ definition, parent: declarations.definition(definition.parent) }));
  let members: readonly { readonly definition: Definition; readonly parent: Definition | undefined }[];
  if (self.test(object)) {
    const offset = declarations.source.byteAt(index);
    const inEnclosingClasses = known
      .filter(({ parent }) => parent !== undefined && hasStaticMembers(parent))
      .filter(({ parent }) => parent !== undefined && parent.start <= offset && offset < parent.end);
    const nearest = inEnclosingClasses.reduce(
      (start, { parent }) => Math.max(start, parent?.start ?? -1),
      -1,
    );
    members = inEnclosingClasses.filter(({ parent }) => parent?.start === nearest);
  } else {
    const local = findLocal(object, objectAt, false, declarations);
    if (local !== undefined && !declarations.isFile(local.scope)) return unresolved;
    members = known.filter(({ definition, parent }) =>
      parent === undefined ? definition.owner === object : parent.name === object && hasStaticMembers(parent),
    );
    if (members.some(({ parent }) => parent !== members[0]?.parent)) return unresolved;
  }
  const isCall = isCalled(leaf) || isCalled(leaf?.parent ?? undefined);
  const member = members.find(({ definition }) => isCall && isFunctionKind(definition.kind)) ?? members[0];
  if (member === undefined) return unresolved;
  const { nameStart, isLocal } = member.definition;
  return { declaredAt: nameStart, isLocal, isDeclaration: false };
}

/** Whether a name is written `#name`, which is another member than `name`; not Rust's `r#name`. */
function hasPrivateMark(index: number, text: string): boolean {
  return text[index - 1] === "#" && !/\w/.test(text[index - 2] ?? "");
}
