import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ServiceError } from "#base/error";
import { errorStatus, toErrorObject } from "#contract/error";
import { openApiDocument } from "#contract/openapi";
import { isServedOverHttp } from "#contract/operation";
import { operation, operationNames } from "#contract/operations";
import { projectRoot } from "#test/support/house";

const document = openApiDocument("http://127.0.0.1:4878");

test("the document is the one that was read and agreed to", () => {
  const file = join(projectRoot(), "test/golden/openapi.json");
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"]) writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"), "UPDATE_GOLDEN=1 writes it anew");
});

test("every row that HTTP serves is in it, and no other", () => {
  const rows = operationNames.map(operation).filter(isServedOverHttp);
  const expected = rows.map(({ http }) => `${http.method} ${http.path}`);
  const found = Object.entries(document["paths"] as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(found, expected);
});

test("every schema and every field of it is described", () => {
  const bare: string[] = [];
  const visit = (schema: unknown, place: string): void => {
    if (typeof schema !== "object" || schema === null || "$ref" in schema || "const" in schema) return;
    if (!("description" in schema)) bare.push(place);
    const { properties = {}, items } = schema as { properties?: object; items?: unknown };
    for (const [name, field] of Object.entries(properties)) visit(field, `${place}.${name}`);
    if (items !== undefined && typeof (items as { type?: unknown }).type === "string") {
      // What an array of plain values holds is told by the array.
      if ("properties" in (items as object)) visit(items, `${place}[]`);
    }
  };
  const { schemas } = document["components"] as { schemas: Record<string, unknown> };
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name);
  assert.deepEqual(bare, []);
});

test("every reference leads somewhere", () => {
  for (const [, path = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = path
      .split("/")
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document);
    assert.notEqual(target, undefined, path);
  }
});

test("errors as they are told", () => {
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
    const told = toErrorObject(error);
    assert.deepEqual([told.statusCode, told.errorCode], [500, "UNEXPECTED_ERROR"]);
    assert.doesNotMatch(told.message, /secret/);
  }
  for (const status of Object.values(errorStatus)) assert.ok(status >= 400 && status < 600);
});
