import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as z from "zod";
import { ServiceError } from "#base/error";
import { errorStatus, toErrorObject } from "#contract/error";
import { links } from "#contract/links";
import { openApiDocument } from "#contract/openapi";
import { isServedOverHttp } from "#contract/operation";
import { type OperationName, operation, operationNames } from "#contract/operations";
import { projectRoot } from "#test/support/house";

const document = openApiDocument("http://127.0.0.1:4878");

test("the document equals the golden file", () => {
  const file = join(projectRoot(), "test/golden/openapi.json");
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"]) writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"), "UPDATE_GOLDEN=1 rewrites it");
});

test("exactly the operations served over HTTP are in the document", () => {
  const rows = operationNames.map(operation).filter(isServedOverHttp);
  const expected = rows.map(({ http }) => `${http.method} ${http.path}`);
  const found = Object.entries(document["paths"] as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(found, expected);
});

test("every schema and field has a description", () => {
  const bare: string[] = [];
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null || "$ref" in schema || "const" in schema) return;
    if (!("description" in schema)) bare.push(path);
    const { properties = {}, items } = schema as { properties?: object; items?: unknown };
    for (const [name, field] of Object.entries(properties)) visit(field, `${path}.${name}`);
    if (items !== undefined && typeof (items as { type?: unknown }).type === "string") {
      // The description of an array of plain values describes its items too.
      if ("properties" in (items as object)) visit(items, `${path}[]`);
    }
  };
  const { schemas } = document["components"] as { schemas: Record<string, unknown> };
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name);
  assert.deepEqual(bare, []);
});

test("every reference has a target", () => {
  for (const [, path = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = path
      .split("/")
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document);
    assert.notEqual(target, undefined, path);
  }
});

test("every link maps an existing field to a parameter of its target", () => {
  for (const [name, targets] of Object.entries(links)) {
    const from = operation(name as OperationName);
    for (const [target, fields] of Object.entries(targets)) {
      const { request } = operation(target as OperationName);
      assert.ok(isServedOverHttp(operation(target as OperationName)), target);
      const sources = JSON.stringify(fields).match(/\$(?:response|request)[^"]*/g) ?? [];
      for (const source of sources) {
        const [, side, field = ""] =
          /^\$(response\.body#\/|request\.query\.|request\.path\.|request\.body#\/)(.+)$/.exec(source) ?? [];
        const schema = side?.startsWith("response") ? from.response : from.request;
        assert.ok(hasPath(z.toJSONSchema(schema), field.split("/")), `${name} to ${target}: ${source}`);
      }
      for (const field of Object.keys(fields))
        assert.ok(Object.hasOwn(request.shape, field), `${name} to ${target}: ${field}`);
    }
  }
});

/** Returns whether values of the schema can have a field at the path. */
function hasPath(
  schema: z.core.JSONSchema.BaseSchema,
  [key, ...rest]: readonly string[],
  root = schema,
): boolean {
  const { $ref } = schema;
  if ($ref !== undefined) {
    const target = $ref === "#" ? root : root.$defs?.[$ref.replace("#/$defs/", "")];
    return target !== undefined && hasPath(target, key === undefined ? [] : [key, ...rest], root);
  }
  if (key === undefined) return true;
  const inner = schema.type === "array" ? schema.items : schema.properties?.[key];
  return typeof inner === "object" && !Array.isArray(inner) && hasPath(inner, rest, root);
}

test("every operation served over HTTP has a link from it or to it", () => {
  const linked = new Set(Object.entries(links).flatMap(([name, targets]) => [name, ...Object.keys(targets)]));
  const rows = operationNames.filter((name) => isServedOverHttp(operation(name)));
  assert.deepEqual(
    rows.filter((name) => !linked.has(name)),
    [],
  );
});

interface RequestSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, RequestSchema>>;
  readonly required?: readonly string[];
}

function bodyOf(path: string): RequestSchema {
  const { paths } = document as { paths: Record<string, Record<string, Record<string, unknown>>> };
  const text = JSON.stringify(paths[path]?.["post"]?.["requestBody"]);
  return JSON.parse(text).content["application/json"].schema;
}

test("bodies over HTTP have no fields for local files, and optional fields are nullable", () => {
  const { askedFrom, language } = bodyOf("/api/find_references").properties ?? {};
  assert.deepEqual(language?.type, ["string", "null"]);
  assert.deepEqual(askedFrom?.required, ["repo"]);
  const { place } = bodyOf("/api/outline").properties ?? {};
  assert.deepEqual(place?.required, ["repo", "path"]);
  assert.deepEqual(Object.keys(place?.properties ?? {}), ["repo", "path", "ref", "lineNumber", "column"]);
});

test("the data of a server-sent event is text", () => {
  const text = JSON.stringify(document["paths"]);
  const events = [...text.matchAll(/"event":\{"type":"string","const":"(\w+)"\},"data":\{"type":"(\w+)"/g)];
  assert.deepEqual(
    events.map(([, name, type]) => `${name} ${type}`),
    [
      "files string",
      "progress string",
      "done string",
      "error string",
      "files string",
      "done string",
      "error string",
    ],
  );
});

test("internal errors become error objects without details", () => {
  assert.deepEqual(toErrorObject(new ServiceError("NOT_FOUND", "There is none.")), {
    statusCode: 404,
    errorCode: "NOT_FOUND",
    message: "There is none.",
  });
  for (const error of [
    new Error("/secret"),
    new ServiceError("GIT_FAILED", "/secret"),
    "/secret",
    undefined,
  ]) {
    const { statusCode, errorCode, message } = toErrorObject(error);
    assert.deepEqual([statusCode, errorCode], [500, "UNEXPECTED_ERROR"]);
    assert.doesNotMatch(message, /secret/);
  }
  for (const status of Object.values(errorStatus)) assert.ok(status >= 400 && status < 600);
});
