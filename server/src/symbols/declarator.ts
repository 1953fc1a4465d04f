/** Names in the declarators of C and its kin, which have them inside pointers, arrays and parameter lists. */
import type { Node } from "web-tree-sitter";

interface Declared {
  readonly name: Node;
  /** `B` of `A::B::f`; else `""`. */
  readonly owner: string;
}

/** Deeper ones are written by nobody. */
const maxDepth = 32;

const names: ReadonlySet<string> = new Set([
  "identifier",
  "field_identifier",
  "type_identifier",
  "primitive_type",
  "destructor_name",
  "operator_name",
  "operator_cast",
  "literal_operator",
]);

/** The name that a declarator declares. Without `isFunction`, a function's head declares nothing. */
export function nameInDeclarator(declarator: Node, isFunction: boolean): Declared | undefined {
  let node: Node | null = declarator;
  let owner = "";
  for (let depth = 0; node !== null && depth < maxDepth; depth++) {
    const { type } = node;
    if (names.has(type)) return { name: node, owner };
    if (type === "qualified_identifier") {
      const scope = node.childForFieldName("scope");
      if (scope !== null) owner = scopeName(scope);
      node = node.childForFieldName("name");
    } else if (type === "template_function" || type === "template_method" || type === "template_type")
      node = node.childForFieldName("name");
    else if (type === "function_declarator") {
      const inner: Node | null = node.childForFieldName("declarator");
      if (!isFunction && inner?.type !== "parenthesized_declarator") return undefined;
      node = inner;
    } else node = node.childForFieldName("declarator") ?? lastDeclarator(node);
  }
  return undefined;
}

interface MacroCall {
  /** What a test is named; absent of other macros. */
  readonly test: Node | undefined;
  readonly suite: string;
}

/** `TEST(Suite, name) {`, `LIB_DEFINE(x) {`: what is read as a function with a name in capitals and no type. */
export function macroCall(definition: Node | undefined, name: Node): MacroCall | undefined {
  if (!/^[A-Z][A-Z0-9_]+$/.test(name.text)) return undefined;
  if (definition?.type !== "function_definition" || definition.childForFieldName("type") !== null)
    return undefined;
  // What stands in a class is its constructor.
  let around = definition.parent;
  if (around?.type === "template_declaration") around = around.parent;
  if (around?.type === "field_declaration_list") return undefined;
  const parameters = definition.childForFieldName("declarator")?.childForFieldName("parameters");
  const words = parameters?.namedChildren.filter((each) => each !== null && /^\w+$/.test(each.text)) ?? [];
  const [suite, test] = words;
  const isTest = /(?:^|_)TEST(?:_|$)/.test(name.text) && parameters?.namedChildCount === 2;
  return { test: isTest && suite && test ? test : undefined, suite: suite?.text ?? "" };
}

/** Of declarators without such a field: `(name)`, `name __attribute__((x))`, `&name`. */
function lastDeclarator(node: Node): Node | null {
  for (let index = node.namedChildCount - 1; index >= 0; index--) {
    const child = node.namedChild(index);
    if (child !== null && (names.has(child.type) || /declarator$|^qualified_identifier$/.test(child.type)))
      return child;
  }
  return null;
}

function scopeName(scope: Node): string {
  const name = scope.type === "template_type" ? scope.childForFieldName("name") : scope;
  return name?.text ?? "";
}

/** The names that a Rust pattern binds: small ones, because a path in a pattern names something that exists. */
export function namesInPattern(pattern: Node): Node[] {
  const found: Node[] = [];
  const open: Node[] = [pattern];
  for (let node = open.pop(); node !== undefined && found.length < maxNames; node = open.pop()) {
    const { type } = node;
    if (type === "shorthand_field_identifier" || (type === "identifier" && /^[a-z_]/.test(node.text))) {
      found.push(node);
      continue;
    }
    if (/^scoped|literal|^type_|^field_identifier$|_expression$/.test(type)) continue;
    const callee = type === "tuple_struct_pattern" || type === "struct_pattern" ? node.firstNamedChild : null;
    for (let index = node.namedChildCount - 1; index >= 0; index--) {
      const child = node.namedChild(index);
      if (child !== null && child.id !== callee?.id) open.push(child);
    }
  }
  return found;
}

const maxNames = 200;
