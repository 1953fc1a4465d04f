/** Checks requests to fakes and their responses by `hostApis.ts`. */
import assert from "node:assert/strict";
import type { Answer } from "./fakeHost";
import { type Fields, type HostApi, hostApis } from "./hostApis";

/** Returns the table of a type of host, if it has one. */
export function describedApi(type: string): HostApi | undefined {
  return Object.entries(hostApis).find(([name]) => name === type)?.[1];
}

/** Returns the path of the operation that a URL asks for. Fails if the vendor describes none, or not its parameters. */
export function checkRequest(api: HostApi, url: URL): string {
  const found = Object.entries(api.operations).find(([path]) => patternOf(api, path).test(url.pathname));
  assert.ok(found, `No GET ${url.pathname} is described`);
  const [path, { query }] = found;
  for (const [name, value] of url.searchParams) {
    const type = query[name] ?? query[name.replace(/\d+/, "N")];
    assert.ok(type, `GET ${path} has no parameter ${name}`);
    assert.ok(isWritten(type, value), `GET ${path}: ${name}=${value} is not ${type}`);
  }
  return path;
}

/** Fails if the vendor does not describe such a response. */
export function checkAnswer(api: HostApi, path: string, { status = 200, headers = {}, body }: Answer): void {
  const operation = api.operations[path];
  assert.ok(operation, `No GET ${path} is described`);
  const what = `GET ${path} with status ${status}`;
  assert.ok([...operation.statuses, ...api.statuses].includes(status), `${what} is not described`);
  const names = Object.keys(api.headers).map((key) => key.replace("?", ""));
  for (const [name, value] of Object.entries(headers)) {
    if (name === "content-type") continue;
    assert.ok(names.includes(name), `${what} has no header ${name}`);
    const type = api.headers[name] ?? api.headers[`${name}?`] ?? "";
    assert.ok(isWritten(type, value), `${what}: the header ${name} is not ${type}`);
  }
  if (status !== 200 && status < 400) return;
  const problem = problemOf(api, status === 200 ? operation.response : api.error, body, "body");
  assert.equal(problem, undefined, `${what}: ${problem}`);
}

const patterns = new Map<string, RegExp>();

function patternOf({ base }: HostApi, path: string): RegExp {
  const whole = base.served + path;
  const pattern =
    patterns.get(whole) ??
    new RegExp(
      `^${whole
        .replace(/[.$]/g, "\\$&")
        .replace(/\[(.*?)\]/g, "(?:$1)?")
        .replace(/\{\w+\}/g, "[^/]+")}$`,
    );
  patterns.set(whole, pattern);
  return pattern;
}

/** Whether a parameter or a header is of a type. */
function isWritten(type: string, value: string): boolean {
  return alternativesOf(type).some((each) => {
    if (each === "integer") return /^\d+$/.test(value);
    if (each === "number") return /^\d+(\.\d+)?$/.test(value);
    if (each === "boolean") return value === "true" || value === "false";
    return each === "string" || each === `'${value}'`;
  });
}

export function alternativesOf(type: string): readonly string[] {
  return type.split(" | ");
}

/** Returns a value that calls `onUndescribed` with each field that is read from it, and that its type does not have. */
export function tracked(
  api: HostApi,
  type: string,
  value: unknown,
  onUndescribed: (field: string) => void,
): unknown {
  if (type.endsWith("[]") && Array.isArray(value))
    return value.map((item) => tracked(api, type.slice(0, -2), item, onUndescribed));
  const fields = api.schemas[type]?.fields;
  if (fields === undefined || typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, name) {
      const field: unknown = Reflect.get(target, name);
      if (typeof name !== "string") return field;
      const fieldType = fields[name] ?? fields[`${name}?`];
      if (fieldType === undefined) onUndescribed(`${type}.${name}`);
      return fieldType === undefined
        ? field
        : tracked(api, alternativesOf(fieldType)[0] ?? "", field, onUndescribed);
    },
  });
}

/** Returns why a value is not of a type, or nothing. */
function problemOf(api: HostApi, type: string, value: unknown, where: string): string | undefined {
  const problems = alternativesOf(type).map((each) => problemOfOne(api, each, value, where));
  return problems.includes(undefined) ? undefined : problems[0];
}

function problemOfOne(api: HostApi, type: string, value: unknown, where: string): string | undefined {
  if (type.endsWith("[]")) {
    if (!Array.isArray(value)) return `${where} is no array`;
    for (const [at, item] of value.entries()) {
      const problem = problemOf(api, type.slice(0, -2), item, `${where}[${at}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  const schema = api.schemas[type];
  if (schema !== undefined) return problemOfFields(api, schema.fields, value, where);
  return isOfPrimitive(type, value) ? undefined : `${where} is not ${type}: ${JSON.stringify(value)}`;
}

function problemOfFields(api: HostApi, fields: Fields, value: unknown, where: string): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return `${where} is no object`;
  const known = Object.entries(fields).map(([key, type]) => [key.replace("?", ""), key, type] as const);
  for (const [name, key, type] of known) {
    const field: unknown = (value as Record<string, unknown>)[name];
    if (field === undefined && key.endsWith("?")) continue;
    if (field === undefined) return `${where} lacks ${name}`;
    const problem = problemOf(api, type, field, `${where}.${name}`);
    if (problem !== undefined) return problem;
  }
  const unknown = Object.keys(value).find((name) => !known.some((each) => each[0] === name));
  return unknown === undefined ? undefined : `${where}.${unknown} is not described`;
}

function isOfPrimitive(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isSafeInteger(value);
    case "uuid":
      return typeof value === "string" && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return type === `'${String(value)}'`;
  }
}
