/** Answers of any length as JSON: the bytes of `JSON.stringify`, while others have their turn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { encodeJson } from "#transport/http/encodeJson";

const noLimit = Number.POSITIVE_INFINITY;

async function check(answer: unknown): Promise<void> {
  assert.ok((await encodeJson(answer, noLimit)).equals(Buffer.from(JSON.stringify(answer))));
}

const long = "0123456789".repeat(40_000);
const answers: Record<string, unknown> = {
  "a number": 7,
  null: null,
  "a long text": long,
  "a text of pairs": `x${"\u{1f600}".repeat(300_000)}`,
  "halves of pairs": `${"\ud83d".repeat(262_144)}\ude00${"\ude00".repeat(300_000)}`,
  "what is escaped": '"\\\n\u0000\u2028é'.repeat(100_000),
  "long and short fields": { a: long, b: undefined, 'c"': [], d: { e: [long, undefined, null, long], f: 1 } },
  "many items": Array.from({ length: 50_000 }, (_, at) => ({ at, text: `item ${at}`, gone: undefined })),
  "many fields": Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`field ${at}`, { at }])),
  "deep ones": Array.from({ length: 300 }).reduce((inner) => ({ inner: [inner] }), long),
};

for (const [name, answer] of Object.entries(answers)) test(name, () => check(answer));

test("whatever JSON can say, with something long in it", async () => {
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
    ),
  }));
  await fc.assert(fc.asyncProperty(value, check), { numRuns: 100 });
});

test("a large answer lets others have their turn", async () => {
  const answer = { files: Array.from({ length: 300 }, (_, at) => ({ at, text: long })) };
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await encodeJson(answer, noLimit);
  clearInterval(timer);
  assert.ok(turns >= 5, `${turns}`);
});

test("an answer over the limit is refused, and not written to its end", async () => {
  assert.equal((await encodeJson("é", 4)).length, 4);
  await assert.rejects(encodeJson("é", 3), { code: "ANSWER_TOO_LARGE", message: /more than 3 bytes/ });
  await assert.rejects(encodeJson(Array(100).fill(long), 1000), { code: "ANSWER_TOO_LARGE" });
});
