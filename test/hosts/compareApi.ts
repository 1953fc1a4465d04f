/** Compares `hostApis.ts` with the descriptions that the vendors publish. */
import { alternativesOf } from "./describedApi";
import type { Fields, HostApi } from "./hostApis";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Parameter extends Schema {
  readonly name?: string;
  readonly in?: string;
  readonly schema?: Schema;
}

interface Response {
  readonly schema?: Schema;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface PathItem {
  readonly parameters?: readonly Parameter[];
  readonly get?: {
    readonly parameters?: readonly Parameter[];
    readonly responses: Readonly<Record<string, Response>>;
  };
}

/** OpenAPI 2 or 3. */
export interface Description {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Returns in what a table and the descriptions of an API disagree, except for its `differences`, if these are true. */
export function disagreements(api: HostApi, descriptions: readonly Description[]): readonly string[] {
  const found = new Map<string, string>();
  const report = (key: string, what: string) => found.set(key, found.get(key) ?? what);
  for (const [path, operation] of Object.entries(api.operations)) {
    const described = api.base.described + path.replace(/[[\]]/g, "");
    const description = descriptions.find((each) => each.paths[described]?.get);
    const { parameters: shared = [], get } = description?.paths[described] ?? {};
    if (description === undefined || get === undefined) {
      report(path, "is not described");
      continue;
    }
    const resolve = (schema: Schema) => resolved(schema, description);
    const parameters = [...shared, ...(get.parameters ?? [])].map((each) => resolve(each) as Parameter);
    for (const [name, type] of Object.entries(operation.query)) {
      const parameter = parameters.find((each) => each.in === "query" && each.name === name);
      if (parameter === undefined) report(`${path}?${name}`, "is not described");
      // A list is one text with commas.
      else if (type !== "string" && !allows(resolve(parameter.schema ?? parameter), type, resolve))
        report(`${path}?${name}`, `is not described as ${type}`);
    }
    const statuses = Object.keys(get.responses).filter((status) => /^\d+$/.test(status));
    if (statuses.map(Number).sort().join() !== [...operation.statuses].sort().join())
      report(`${path} statuses`, `are described as ${statuses.join(", ")}`);
    const { schema, content } = get.responses["200"] ?? {};
    const body = resolve(schema ?? Object.values(content ?? {})[0]?.schema ?? {});
    const own = api.schemas[operation.response];
    if (own?.describedAs.length === 0) compareFields(operation.response, own.fields, [body], resolve, report);
    else if ((body.type === "array") !== operation.response.endsWith("[]"))
      report(`${path} response`, `is not described as ${operation.response}`);
  }
  for (const [name, { describedAs, fields }] of Object.entries(api.schemas)) {
    if (describedAs.length === 0) continue;
    for (const description of descriptions) {
      const resolve = (schema: Schema) => resolved(schema, description);
      const schemas = { ...description.definitions, ...description.components?.schemas };
      const bodies = describedAs.flatMap((each) => schemas[each] ?? []).map(resolve);
      if (bodies.length > 0) compareFields(name, fields, bodies, resolve, report);
    }
  }
  const stale = Object.keys(api.differences).filter((key) => !found.has(key));
  return [
    ...[...found].filter(([key]) => !(key in api.differences)).map(([key, what]) => `${key} ${what}`),
    ...stale.map((key) => `${key} is described like this, and no difference`),
  ];
}

function compareFields(
  name: string,
  fields: Fields,
  bodies: readonly Schema[],
  resolve: (schema: Schema) => Schema,
  report: (key: string, what: string) => void,
): void {
  const properties = Object.assign({}, ...bodies.map((each) => propertiesOf(each, resolve)));
  if (!Object.keys(fields).some((key) => key.replace("?", "") in properties)) {
    report(name, "is described as something else");
    return;
  }
  for (const [key, type] of Object.entries(fields)) {
    const field = key.replace("?", "");
    const property: Schema | undefined = properties[field];
    if (property === undefined) report(`${name}.${field}`, "is not described");
    else if (!allows(resolve(property), type, resolve))
      report(`${name}.${field}`, `is not described as ${type}`);
  }
}

function propertiesOf(schema: Schema, resolve: (schema: Schema) => Schema): Readonly<Record<string, Schema>> {
  const parts = (schema.allOf ?? []).map((each) => propertiesOf(resolve(each), resolve));
  return Object.assign({}, ...parts, schema.properties);
}

/** Whether every value of a type is one of a schema; `null` is not compared, because descriptions omit it. */
function allows(schema: Schema, type: string, resolve: (schema: Schema) => Schema): boolean {
  const some = schema.oneOf ?? schema.anyOf;
  if (some !== undefined) return some.some((each) => allows(resolve(each), type, resolve));
  return alternativesOf(type).every((each) => {
    if (each === "null") return true;
    const literal = /^'(.*)'$/.exec(each)?.[1];
    if (literal !== undefined && schema.enum !== undefined) return schema.enum.includes(literal);
    if (literal !== undefined || each === "uuid") return schema.type === "string";
    if (each.endsWith("[]")) return schema.type === "array";
    if (each === "integer") return schema.type === "integer" || schema.type === "number";
    if (["string", "number", "boolean"].includes(each))
      return schema.type === each && schema.enum === undefined;
    return schema.type === "object" || schema.properties !== undefined || schema.allOf !== undefined;
  });
}

function resolved(schema: Schema, description: Description): Schema {
  if (schema.$ref === undefined) return schema;
  const path = schema.$ref.replace(/^#\//, "").split("/");
  const target = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], description);
  return resolved(target as Schema, description);
}
