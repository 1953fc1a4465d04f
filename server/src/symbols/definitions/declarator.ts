/** Finds the names in declarators of C and related languages, and in patterns and lists of others. */
import type { Node } from "web-tree-sitter";

interface Declared {
  readonly name: Node;
  /** `B` of `A::B::f`; else `""`. */
  readonly owner: string;
}

/** Real code is not nested deeper. */
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

/** Returns the name that a declarator declares. Without `isFunction`, the head of a function declares nothing. */
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
  /** The name of a test; undefined for other macros. */
  readonly test: Node | undefined;
  readonly suite: string;
}

/** Recognizes `TEST(Suite, name) {` and `LIB_DEFINE(x) {`, which are parsed as functions in capitals without a type. */
export function macroCall(definition: Node | undefined, name: Node): MacroCall | undefined {
  if (!/^[A-Z][A-Z0-9_]+$/.test(name.text)) return undefined;
  if (definition?.type !== "function_definition" || definition.childForFieldName("type") !== null)
    return undefined;
  // In a class, it is the constructor.
  let enclosing = definition.parent;
  if (enclosing?.type === "template_declaration") enclosing = enclosing.parent;
  if (enclosing?.type === "field_declaration_list") return undefined;
  const parameters = definition.childForFieldName("declarator")?.childForFieldName("parameters");
  const words = parameters?.namedChildren.filter((each) => each !== null && /^\w+$/.test(each.text)) ?? [];
  const [suite, test] = words;
  const isTest = /(?:^|_)TEST(?:_|$)/.test(name.text) && parameters?.namedChildCount === 2;
  return { test: isTest && suite && test ? test : undefined, suite: suite?.text ?? "" };
}

/**
 * Returns the inner declarator of a node without a `declarator` field: `(name)`, `name __attribute__((x))`, `&name`.
 */
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

/** Real code has fewer names. */
const maxNames = 200;
/** Nodes in patterns that bind nothing: references and values. */
const bindsNothing =
  /^scoped|literal|^type_|^field_identifier$|^field_name$|^infix_id$|_expression$|^unary_operator$|^dot$|^(?:string|charlist|sigil|struct)$/;
/** Nodes whose first child is a reference. */
const applied: ReadonlySet<string> = new Set([
  "tuple_struct_pattern",
  "struct_pattern",
  "call",
  "view_pattern",
]);
/** Elixir's operators with a pattern on the left only. */
const leftPattern = /^(?:\\\\|::|when|in)$/;

/** Returns the names that a pattern binds. They are lowercase; capitalized names in patterns are references. */
export function namesInPattern(pattern: Node): Node[] {
  const found: Node[] = [];
  const open: Node[] = [pattern];
  for (let node = open.pop(); node !== undefined && found.length < maxNames; node = open.pop()) {
    const { type } = node;
    const isName = /^(?:identifier|variable|value_name|value_pattern)$/.test(type);
    if (type === "shorthand_field_identifier" || (isName && /^[\p{Ll}_]/u.test(node.text))) {
      found.push(node);
      continue;
    }
    // A field without a pattern of its own binds its name: `{ name; _ }`.
    const field =
      type === "field_pattern" && node.namedChildCount === 1 ? node.firstNamedChild?.lastNamedChild : null;
    if (field != null) found.push(field);
    if (field != null || bindsNothing.test(type)) continue;
    const skipped = partWithoutNames(node);
    for (let index = node.namedChildCount - 1; index >= 0; index--) {
      const child = node.namedChild(index);
      if (child !== null && child.id !== skipped?.id) open.push(child);
    }
  }
  return found;
}

function partWithoutNames(node: Node): Node | null {
  const { type } = node;
  if (applied.has(type)) return node.firstNamedChild;
  // A pattern with a type.
  if (type === "signature") return node.lastNamedChild;
  const operator = type === "binary_operator" ? node.childForFieldName("operator")?.type : undefined;
  if (operator === undefined) return null;
  return leftPattern.test(operator) ? node.lastNamedChild : operator === "=>" ? node.firstNamedChild : null;
}

const lists: ReadonlySet<string> = new Set([
  "argument_list",
  "macro_argument_list",
  "open_tuple",
  "tuple_expression",
]);
const named: ReadonlySet<string> = new Set(["named_argument", "splat_expression", "typed_expression"]);

/** Returns the names in a parameter list, or on the left of an assignment. Each precedes its type and value. */
export function namesInList(list: Node): Node[] {
  if (list.childCount === 0) return [list];
  const found: Node[] = [];
  const open: Node[] = [list];
  for (let node = open.pop(); node !== undefined && found.length < maxNames; node = open.pop()) {
    const { type } = node;
    if (type === "identifier") found.push(node);
    const only = named.has(type)
      ? node.firstNamedChild
      : type === "macrocall_expression"
        ? node.lastNamedChild
        : null;
    if (only !== null) open.push(only);
    if (!lists.has(type)) continue;
    for (let index = node.namedChildCount - 1; index >= 0; index--) {
      const child = node.namedChild(index);
      if (child !== null) open.push(child);
    }
  }
  return found;
}
