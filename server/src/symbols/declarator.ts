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

/** More are written by nobody. */
const maxNames = 200;
/** Kinds of nodes in patterns that bind nothing, whatever is in them: what exists already, and values. */
const bindsNothing =
  /^scoped|literal|^type_|^field_identifier$|^field_name$|^infix_id$|_expression$|^unary_operator$|^dot$|^(?:string|charlist|sigil|struct)$/;
/** Those whose first part names something that exists. */
const applied: ReadonlySet<string> = new Set([
  "tuple_struct_pattern",
  "struct_pattern",
  "call",
  "view_pattern",
]);
/** Elixir's operators that have a pattern on their left alone. */
const leftPattern = /^(?:\\\\|::|when|in)$/;

/** The names that a pattern binds: small ones, because others in a pattern name something that exists. */
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
    // A field that is named alone: `{ name; _ }`.
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
  // A pattern with its type.
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

/** The names in a list of parameters, or on the left of an assignment: each comes before its type and its value. */
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
