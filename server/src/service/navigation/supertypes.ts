/**
 * Finds by which types a member may be called: the one that contains it, its supertypes and its subtypes. Only the line
 * that declares a type is known, so supertypes on later lines are not.
 */
import type { FoundSymbol } from "#engine/engine";
import { isFunctionKind, typeKinds } from "#model/symbol";

export class Supertypes {
  /** By type in a file. */
  readonly #supertypes = new Map<string, readonly string[]>();
  /** By name. */
  readonly #subtypes = new Map<string, Set<string>>();
  /** A file may call the same member many times. */
  readonly #types = new Map<FoundSymbol, ReadonlySet<string>>();

  /** `containers` are the definitions of the names of `containersOf(members)`. */
  constructor(members: readonly FoundSymbol[], containers: ReadonlyMap<string, readonly FoundSymbol[]>) {
    for (const member of members) {
      const name = containerOf(member);
      const key = keyOf(member);
      if (name === "" || this.#supertypes.has(key)) continue;
      const container = containers.get(name)?.find((each) => contains(each, member));
      if (container === undefined) continue;
      const supertypes = declaredSupertypes(container);
      this.#supertypes.set(key, supertypes);
      for (const supertype of supertypes) {
        const known = this.#subtypes.get(supertype) ?? new Set();
        this.#subtypes.set(supertype, known.add(name));
      }
    }
  }

  of(member: FoundSymbol): ReadonlySet<string> {
    const known = this.#types.get(member);
    if (known !== undefined) return known;
    const container = containerOf(member);
    const supertypes = this.#supertypes.get(keyOf(member)) ?? [];
    const subtypes = this.#subtypes.get(container) ?? [];
    const types = new Set(container === "" ? [] : [container, ...supertypes, ...subtypes]);
    this.#types.set(member, types);
    return types;
  }
}

/** Returns the type that a definition belongs to. A constructor counts as its type, which has the same name. */
export function containerOf({ name, parent, kind }: FoundSymbol): string {
  if (parent.name === name || kind === "macro") return "";
  return ["namespace", "module", "package"].includes(parent.kind) ? "" : parent.name;
}

/** Returns the names of the types, functions and constants that contain members. */
export function containersOf(members: readonly FoundSymbol[]): readonly string[] {
  return [...new Set(members.map(containerOf))].filter((name) => name !== "");
}

function keyOf(member: FoundSymbol): string {
  const { document } = member;
  return `${document.repositoryId} ${containerOf(member)} ${document.path}`;
}

function contains(container: FoundSymbol, { document, start, end }: FoundSymbol): boolean {
  const { repositoryId, path } = container.document;
  const isSameFile = repositoryId === document.repositoryId && path === document.path;
  return isSameFile && container.start <= start && end <= container.end;
}

/** A function has the type of the object that it returns, and a constant that of its value. */
function declaredSupertypes({ name, kind, line }: FoundSymbol): readonly string[] {
  const declared = line.slice(line.indexOf(name) + name.length).replace(/\s*(?:\{|=>|=(?!=)).*$/, "");
  // A function may return a promise of the object.
  const head = typeKinds.has(kind) ? declared.replace(/<[^<>]*>/g, "") : declared;
  const afterParameters = head.replace(/\([^()]*\)/g, "");
  if (!typeKinds.has(kind) && !isFunctionKind(kind)) return wordsIn(/:(.*)/.exec(head)?.[1] ?? "");
  const words = wordsIn(afterParameters);
  // Python lists supertypes in parentheses, where others list the parameters of a constructor.
  return words.length > 0 || !typeKinds.has(kind) ? words : wordsIn(head);
}

/** Types begin with a capital letter where names of types and of keywords cannot be told apart otherwise. */
function wordsIn(text: string): readonly string[] {
  return text.match(/(?<![\p{L}\p{N}_$])\p{Lu}[\p{L}\p{N}_$]*/gu) ?? [];
}
