/** Combines the terms of a group: the conjunctions between `or`, and the filters that apply to all of it. */
import type { CaseMode, FilterEffect, Term } from "./terms";

/** The terms between two `or`. */
export interface Branch {
  readonly start: number;
  readonly terms: Term[];
  /** Values of `rev:`, which form a union. */
  readonly revisions: string[];
}

export const matchAll: Term = () => ({ kind: "const", value: true });

/** The `case:` and `type:` of a group. */
export class Scope {
  #case: CaseMode | undefined;
  #type: FilterEffect["type"];

  /** Returns the filter that contradicts an earlier one of the group. */
  add(effect: FilterEffect): "case" | "type" | undefined {
    const before = { case: this.#case, type: this.#type };
    this.#case ??= effect.case;
    this.#type ??= effect.type;
    if (effect.case !== undefined && before.case !== undefined && effect.case !== before.case) return "case";
    return effect.type !== undefined && before.type !== undefined && effect.type !== before.type
      ? "type"
      : undefined;
  }

  get type(): FilterEffect["type"] {
    return this.#type;
  }

  apply(term: Term): Term {
    const type = this.#type;
    return (outer) => {
      const child = term(this.#case ?? outer);
      return type === undefined ? child : { kind: "type", type, child };
    };
  }
}

export function conjunction({
  terms,
  revisions,
}: Pick<Branch, "terms"> & { revisions: readonly string[] }): Term {
  const union: Term = () => ({ kind: "revision", names: [...new Set(revisions)] });
  const all = revisions.length === 0 ? terms : [...terms, union];
  const [only] = all;
  if (only === undefined) return matchAll;
  return all.length === 1 ? only : (mode) => ({ kind: "and", children: all.map((term) => term(mode)) });
}

export function disjunction(branches: readonly Term[]): Term {
  const [only] = branches;
  if (branches.length === 1 && only !== undefined) return only;
  return (mode) => ({ kind: "or", children: branches.map((term) => term(mode)) });
}
