/** Encoding of values of any size: the bytes of `JSON.stringify`, with yields to the event loop. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { JsonText } from "#platform/jsonText";
import { encodeJson } from "#transport/http/encodeJson";

const noLimit = Number.POSITIVE_INFINITY;

async function check(value: unknown): Promise<void> {
  assert.ok((await bytesOf(value, noLimit)).equals(Buffer.from(JSON.stringify(value))));
}

async function bytesOf(value: unknown, maxBytes: number): Promise<Buffer> {
  const json = await encodeJson(value, maxBytes);
  const bytes = Buffer.concat([...json.parts()]);
  assert.equal(bytes.length, json.length);
  return bytes;
}

/** JSON text, for which `JSON.stringify` returns the JSON of the value. */
function jsonText(value: unknown): JsonText {
  return JsonText.of(Buffer.from(JSON.stringify(value)));
}

const long = "0123456789".repeat(40_000);
const values: Record<string, unknown> = {
  "a number": 7,
  null: null,
  "a long string": long,
  "surrogate pairs": `x${"\u{1f600}".repeat(300_000)}`,
  "lone surrogates": `${"\ud83d".repeat(262_144)}\ude00${"\ude00".repeat(300_000)}`,
  "characters that are escaped": '"\\\n\u0000\u2028é'.repeat(100_000),
  "long and short fields": { a: long, b: undefined, 'c"': [], d: { e: [long, undefined, null, long], f: 1 } },
  "many items": Array.from({ length: 50_000 }, (_, at) => ({ at, text: `item ${at}`, gone: undefined })),
  "many fields": Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`field ${at}`, { at }])),
  "text that is already JSON": { a: [jsonText(["é\n", { b: null }]), 1, jsonText({})], c: jsonText("x") },
  "much text that is already JSON": Array.from({ length: 3000 }, (_, at) => ({
    at,
    rest: jsonText([`${at}`.repeat(100)]),
  })),
  "long text that is already JSON": jsonText([long, long]),
  "nested values": Array.from({ length: 300 }).reduce((inner) => ({ inner: [inner] }), long),
};

for (const [name, value] of Object.entries(values)) test(name, () => check(value));

test("random JSON values with long strings in them", async () => {
  const { letrec, oneof, string, integer, constant, array, dictionary, boolean, double } = fc;
  const { value } = letrec((tie) => ({
    value: oneof(
      { maxDepth: 4 },
      string({ unit: "binary" }),
      integer(),
      double(),
      boolean(),
      constant(null),
      constant(long),
      array(tie("value"), { maxLength: 5 }),
      dictionary(string(), tie("value"), { maxKeys: 5 }),
      tie("value").map(jsonText),
    ),
  }));
  await fc.assert(fc.asyncProperty(value, check), { numRuns: 100 });
});

test("encoding a large value yields to the event loop", async () => {
  const value = { files: Array.from({ length: 300 }, (_, at) => ({ at, text: long })) };
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await encodeJson(value, noLimit);
  clearInterval(timer);
  assert.ok(turns >= 5, `${turns}`);
});

test("a value over the limit is refused", async () => {
  assert.equal((await bytesOf("é", 4)).length, 4);
  await assert.rejects(encodeJson("é", 3), { code: "ANSWER_TOO_LARGE", message: /more than 3 bytes/ });
  await assert.rejects(encodeJson(Array(100).fill(long), 1000), { code: "ANSWER_TOO_LARGE" });
});
