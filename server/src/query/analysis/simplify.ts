import type { Query } from "#query/query";

/**
 * Returns an equivalent query with a smaller tree: constants are folded, nested `and` and `or` are flattened, double
 * negations and duplicate children are removed. Every remaining `and` and `or` has at least two children.
 */
export function simplifyQuery(query: Query): Query {
  return simplify(query, new Identities());
}

function simplify(query: Query, identities: Identities): Query {
  switch (query.kind) {
    case "and":
    case "or": {
      const children = query.children.map((child) => simplify(child, identities));
      return combine(query.kind, children, identities);
    }
    case "not":
      return negate(simplify(query.child, identities));
    case "type": {
      const child = simplify(query.child, identities);
      // Filtering no documents yields none. Commit searches keep their type.
      return child.kind === "const" && !child.value && query.type !== "commit" ? child : { ...query, child };
    }
    default:
      return query;
  }
}

/** Assigns equal numbers to equal nodes. Visits each node once, however deep it is. */
class Identities {
  readonly #byNode = new Map<Query, number>();
  readonly #byText = new Map<string, number>();

  of(node: Query): number {
    const known = this.#byNode.get(node);
    if (known !== undefined) return known;
    const text = this.#textOf(node);
    const number = this.#byText.get(text) ?? this.#byText.size;
    this.#byText.set(text, number);
    this.#byNode.set(node, number);
    return number;
  }

  #textOf(node: Query): string {
    switch (node.kind) {
      case "and":
      case "or":
        return `${node.kind} ${node.children.map((child) => this.of(child)).join()}`;
      case "not":
        return `not ${this.of(node.child)}`;
      case "type":
        return `type ${node.type} ${this.of(node.child)}`;
      default:
        return JSON.stringify(node);
    }
  }
}

function combine(kind: "and" | "or", children: readonly Query[], identities: Identities): Query {
  const neutral = kind === "and";
  const distinct = new Map<number, Query>();
  for (const child of children) {
    for (const part of child.kind === kind ? child.children : [child]) {
      if (part.kind === "const" && part.value !== neutral) return part;
      if (part.kind !== "const") distinct.set(identities.of(part), part);
    }
  }
  const remaining = [...distinct.values()];
  const [only] = remaining;
  if (only === undefined) return { kind: "const", value: neutral };
  return remaining.length === 1 ? only : { kind, children: remaining };
}

function negate(child: Query): Query {
  if (child.kind === "const") return { kind: "const", value: !child.value };
  return child.kind === "not" ? child.child : { kind: "not", child };
}
