/**
 * GitHub's own description of its API, by which requests and fake responses are checked. `githubApi.json` is a part of
 * the package that its `source` names.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { projectRoot } from "#test/support/house";

interface Schema {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  /** By the only status. */
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly "application/json": { readonly schema: Schema } } }>
  >;
}

const file = join(projectRoot(), "test/fixtures/githubApi.json");
const document: { readonly paths: Readonly<Record<string, Readonly<Record<"get" | "post", Operation>>>> } =
  JSON.parse(readFileSync(file, "utf8"));
const operations = new Map(
  Object.entries(document.paths).map(([path, { get, post }]) => {
    const operation = inlineReferences(get ?? post) as Operation;
    const [response] = Object.values(operation.responses);
    const schema = response?.content["application/json"].schema ?? {};
    return [path, { ...operation, schema, check: checkerOf(schema) }];
  }),
);

function checkerOf(schema: Schema): z.ZodType {
  return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema, { defaultTarget: "openapi-3.0" });
}

function inlineReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(inlineReferences);
  if (typeof node !== "object" || node === null) return node;
  if ("$ref" in node) {
    const path = String(node.$ref).slice(2).split("/");
    return inlineReferences(
      path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document),
    );
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlineReferences(value)]));
}

/** Fails if the description has no such query parameter, or does not allow its value. */
export function checkGithubRequest(path: string, query: URLSearchParams): void {
  const parameters = operationOf(path).parameters.filter((each) => each.in === "query");
  for (const [name, value] of query) {
    const schema = parameters.find((each) => each.name === name)?.schema;
    assert.ok(schema, `GET ${path} has no parameter ${name}`);
    if (schema.enum !== undefined) assert.ok(schema.enum.includes(value), `GET ${path}: ${name}=${value}`);
    if (schema.type === "integer") assert.match(value, /^\d+$/, `GET ${path}: ${name}=${value}`);
  }
}

export function checkGithubResponse(path: string, body: unknown): void {
  const { success, error } = operationOf(path).check.safeParse(body);
  assert.ok(success, `GET ${path} responds differently: ${error?.message.slice(0, 500)}`);
}

/** The smallest object that each path describes, by path. */
const examples = new Map<string, object>();

/** Returns an object as `GET path` describes it, or describes items of its list: with `fields`, which must be known. */
export function githubObject(path: string, fields: Readonly<Record<string, unknown>>): object {
  const { schema } = operationOf(path);
  const { items, repositories, total_count: total } = schema.properties ?? {};
  const list = schema.items ?? (total && (items ?? repositories)?.items) ?? schema;
  const described = list.oneOf?.[0] ?? list.anyOf?.[0] ?? list.allOf?.[0] ?? list;
  for (const name of Object.keys(fields)) {
    assert.ok(described.properties?.[name], `GET ${path} has no field ${name}`);
  }
  const example = examples.get(path) ?? (exampleOf(described) as object);
  examples.set(path, example);
  return { ...example, ...fields };
}

/** Returns the smallest value that a schema allows. */
function exampleOf(schema: Schema): unknown {
  if (schema.nullable) return null;
  if (schema.enum !== undefined) return schema.enum[0];
  const [alternative] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (alternative !== undefined) return exampleOf(alternative);
  switch (schema.type) {
    case "array":
      return [];
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 0;
    case "string":
      if (schema.format === "date-time") return "2026-01-31T12:00:00Z";
      return schema.format === "uri" ? "https://github.com/example" : "example";
    default:
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          exampleOf(schema.properties?.[name] ?? { type: "string" }),
        ]),
      );
  }
}

function operationOf(path: string) {
  const operation = operations.get(path);
  assert.ok(operation, `GitHub describes no GET ${path}`);
  return operation;
}
