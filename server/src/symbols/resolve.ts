/** Which declaration of a document a name means at a place. */

import type { Node } from "web-tree-sitter";
import type { Definition } from "#model/symbol";
import { type Access, accessBefore } from "./access";
import { type Declarations, hasMembers, type Local, type Scope } from "./declarations";
import { isFunctionKind, typeKinds } from "./nesting";

export interface Resolved {
  readonly declaredAt: number;
  readonly isLocal: boolean;
  /** The place is that of a declaration. */
  readonly isDeclaration: boolean;
}

const nowhere: Resolved = { declaredAt: -1, isLocal: false, isDeclaration: false };

/** Leaves of these kinds are members, in every grammar. */
const memberTypes =
  /^(?:private_)?property_identifier$|field_identifier|^property_name$|hash_key_symbol|^(?:instance|class|global)_variable$|^simple_symbol$/;

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
  const { markedVariables } = rules;
  const isVariable =
    markedVariables !== undefined && [leaf?.type, leaf?.parent?.type].includes(markedVariables);
  const isGlobal =
    markedVariables === undefined ? declarations.isGlobal(leaf?.startIndex ?? index) : !isVariable;
  const called = isCalled(leaf);
  const local = isGlobal ? undefined : findLocal(name, index, called, declarations);
  if (access !== undefined && local?.isAtDeclaration !== true && !access.isOwnPath)
    return accessed(name, index, access, leaf, declarations);
  const definition = isVariable ? undefined : visibleDefinition(name, index, leaf, declarations);
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

function findLocal(
  name: string,
  index: number,
  called: boolean,
  declarations: Declarations,
): FoundLocal | undefined {
  const { redeclares } = declarations.rules;
  const innermost = declarations.scopeAt(index);
  let isElsewhere = false;
  for (let scope: Scope | undefined = innermost; scope !== undefined; scope = scope.outer) {
    const locals = declarations.localsIn(scope, name);
    const own = locals.find(({ at }) => at === index);
    if (own !== undefined && !scope.elsewhere.has(name))
      return { ...(redeclares ? own : (locals[0] ?? own)), scope, isAtDeclaration: true };
    if (scope.elsewhere.has(name)) {
      isElsewhere = true;
      continue;
    }
    if (scope.isClass && scope !== innermost) continue;
    const counting = locals.filter(({ from, isValue }) => from <= index && !(called && isValue));
    const local = redeclares ? counting.at(-1) : counting[0];
    if (local !== undefined) return { ...local, scope, isAtDeclaration: false };
    if (scope.isClosed && !isElsewhere) return undefined;
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
    // One in a function without a name is known by its scope alone.
    if (definition.parent < 0 && (definition.owner !== "" || definition.isLocal)) continue;
    const holder = holderOf(definition, declarations);
    if (holder !== undefined) {
      const isMember = typeKinds.has(holder.kind);
      if (isMember && !declarations.rules.membersInScope) continue;
      // Constructors, and C#'s destructors: in their class its name means the class.
      if (isMember && holder.name === name && isFunctionKind(definition.kind)) continue;
      if (offset < holder.start || offset >= holder.end) continue;
    }
    const start = holder?.start ?? -1;
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

/** In what a definition can be named without saying of what it is; undefined where that is all of the document. */
function holderOf(definition: Definition, declarations: Declarations): Definition | undefined {
  const holder = declarations.definition(definition.parent);
  const isOpen = holder?.kind === "enum" && declarations.rules.enumsAreOpen;
  return isOpen ? declarations.definition(holder.parent) : holder;
}

function isCalled(leaf: Node | undefined): boolean {
  return /call|invocation/.test(leaf?.parent?.type ?? "");
}

/** Whether the definition is nearer than the local: its holder is inside the local's scope. */
function isWithin(definition: Definition, local: FoundLocal, declarations: Declarations): boolean {
  if (declarations.source.byteAt(local.at) === definition.nameStart) return true;
  const holder = holderOf(definition, declarations);
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
    const local = findLocal(object, objectAt, false, declarations);
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
