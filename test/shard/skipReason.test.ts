import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { skipReason } from "#shard/format/skipReason";

/** Generates bytes without a pattern, the same in each run. */
function noise(byteCount: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at * 32 < byteCount; at++) parts.push(createHash("sha256").update(String(at)).digest());
  return Buffer.concat(parts).subarray(0, byteCount);
}

function wrapped(text: string): string {
  return text.replace(/.{76}/g, "$&\n");
}

const words = noise(400_000)
  .toString("latin1")
  .replace(/[^a-z]+/gi, " ");
const ideographs = Array.from(noise(300_000), (byte, at) =>
  String.fromCodePoint(0x4e00 + byte * 8 + (at % 8)),
).join("");

const cases: Record<string, [Uint8Array | string, string | undefined]> = {
  nothing: ["", undefined],
  text: ["one\r\ntwo", undefined],
  "text with a byte order mark": ["\ufefftext", undefined],
  "Latin-1": [Buffer.from([0x63, 0x61, 0x66, 0xe9]), undefined],
  "a NUL": ["a\0b", "binary"],
  "a NUL at the very end": [`${"a".repeat(100_000)}\0`, "binary"],
  "UTF-16": [Buffer.from("\ufefftext", "utf16le"), "notText"],
  "UTF-16, the other way": [Buffer.from("\ufefftext", "utf16le").swap16(), "notText"],
  "UTF-32": [Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]), "notText"],
  "2 MiB": ["a".repeat(2 * 1024 * 1024), undefined],
  more: ["a".repeat(2 * 1024 * 1024 + 1), "tooLarge"],
  base64: [wrapped(noise(300_000).toString("base64")), "tooManyTrigrams"],
  "hexadecimal, which has few trigrams": [noise(300_000).toString("hex"), undefined],
  "a little base64": [noise(10_000).toString("base64"), undefined],
  "many different words": [words, undefined],
  Chinese: [ideographs, undefined],
};

for (const [name, [content, expected]] of Object.entries(cases)) {
  test(name, () => {
    assert.equal(skipReason(typeof content === "string" ? Buffer.from(content) : content), expected);
  });
}
