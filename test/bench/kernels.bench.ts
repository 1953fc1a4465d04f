/**
 * Compares the kernels with Node's own functions on real text: `node out/test/bench/kernels.bench.js [folder]`.
 *
 * Prints the best and the median of several rounds, and the match counts, because a fast wrong result is worthless.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { encodeGaps } from "#kernels/gaps";
import { PlainKernels } from "#kernels/plain";
import { threadKernels } from "#kernels/thread";

const textBytes = 32 * 1024;
const kernels = threadKernels();
const plain = new PlainKernels();
const corpus = read(process.argv[2] ?? ".", 32 * 1024 * 1024);
const start = kernels.reserve(corpus.length);
kernels.bytes.set(corpus, start);
plain.reserve(corpus.length);
plain.bytes.set(corpus, start);
const buffer = Buffer.from(kernels.bytes.buffer, start, corpus.length);
const pieces = Array.from({ length: Math.floor(corpus.length / textBytes) }, (_, n) => n * textBytes);
const strings = pieces.map((at) => buffer.toString("latin1", at, at + textBytes));

console.log(`${pieces.length} texts of ${textBytes / 1024} KiB`);
for (const word of ["xyzzyplugh", "mutex_unlock", "function", "return", "error", "if", "e"]) {
  const bytes = Buffer.from(word);
  const exact = kernels.prepareNeedle(bytes, true);
  const folded = kernels.prepareNeedle(bytes, false);
  const expression = new RegExp(word, "gi");
  console.log(`\n${word}`);
  row("find", () => sum((at) => kernels.find(exact, start + at, textBytes)));
  row("count", () => sum((at) => kernels.count(exact, start + at, textBytes)));
  row("Buffer.indexOf", () => sum((at) => countIndexOf(at, bytes)));
  row("find, any case", () => sum((at) => kernels.find(folded, start + at, textBytes)));
  row("plain, any case", () => sum((at) => plain.count(folded, start + at, textBytes)));
  row("/i on strings", () =>
    strings.reduce((count, text) => count + (text.match(expression)?.length ?? 0), 0),
  );
}

console.log("\nother");
row("newlines", () => sum((at) => kernels.newlines(start + at, textBytes)));
row("countNewlines", () => sum((at) => kernels.countNewlines(start + at, textBytes)));
row("isAscii", () => sum((at) => (kernels.isAscii(start + at, textBytes) ? 1 : 0)));
row("countCodePoints", () => sum((at) => kernels.countCodePoints(start + at, textBytes)));
row("plain newlines", () => sum((at) => plain.newlines(start + at, textBytes)));

console.log("\ncalls");
{
  const needle = kernels.prepareNeedle(Buffer.from("xyzzy"), true);
  const calls = 1_000_000;
  const before = performance.now();
  for (let call = 0; call < calls; call++) kernels.find(needle, start, 16);
  console.log(`find in 16 bytes: ${(((performance.now() - before) * 1e6) / calls).toFixed(0)} ns a call`);
}

console.log("\nnumbers");
for (const [name, gap] of [
  ["dense", 100],
  ["mixed", 800],
  ["sparse", 40_000],
] as const) {
  const bytes = deltas(100_000, gap);
  const at = kernels.reserve(bytes.length);
  kernels.bytes.set(bytes, at);
  rate(`decode deltas, ${name}`, 100_000, () => kernels.decodeDeltas(at, bytes.length));
}
for (const gap of [3, 30, 300]) {
  const numbers = ascending(100_000, gap);
  const limit = (numbers.at(-1) ?? 0) + 1;
  const bytes = encodeGaps([...numbers]);
  const at = kernels.reserve(limit);
  kernels.bytes.set(bytes, at);
  rate(`decode gaps of up to ${gap}`, 100_000, () => kernels.decodeGaps(at, bytes.length, limit));
}
for (const [name, longer] of [
  ["equally long", 100_000],
  ["5 times as long", 500_000],
  ["40 times as long", 4_000_000],
  ["60 times as long", 6_000_000],
] as const) {
  const a = ascending(100_000, 200);
  const b = ascending(longer, Math.floor((200 * 100_000) / longer));
  const into = new Uint32Array(a.length);
  rate(`intersect, ${name}`, a.length + b.length, () => kernels.intersect(a, b, into));
  rate("  plain", a.length + b.length, () => plain.intersect(a, b, into));
}

function read(folder: string, most: number): Uint8Array {
  const texts: Uint8Array[] = [];
  let length = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (length >= most) break;
    if (!entry.isFile() || !/\.(c|h|ts|js|go|py|rs|java|md)$/.test(entry.name)) continue;
    const text = readFileSync(join(entry.parentPath, entry.name));
    texts.push(text);
    length += text.length;
  }
  return Buffer.concat(texts).subarray(0, most);
}

function sum(ofText: (at: number) => number): number {
  let total = 0;
  for (const at of pieces) total += ofText(at);
  return total;
}

function countIndexOf(at: number, bytes: Buffer): number {
  const text = buffer.subarray(at, at + textBytes);
  let count = 0;
  for (let hit = text.indexOf(bytes); hit >= 0; hit = text.indexOf(bytes, hit + bytes.length)) count++;
  return count;
}

function row(name: string, run: () => number): void {
  const { best, median, result } = measure(run);
  const bytes = pieces.length * textBytes;
  const speed = (ms: number) => `${(bytes / 1e6 / ms).toFixed(2).padStart(7)} GB/s`;
  console.log(`  ${name.padEnd(20)}${speed(best)}  median${speed(median)}  ${result}`);
}

function rate(name: string, numbers: number, run: () => number): void {
  const { best, median, result } = measure(run);
  const speed = (ms: number) => `${(numbers / 1e3 / ms).toFixed(0).padStart(7)} M/s`;
  console.log(`  ${name.padEnd(28)}${speed(best)}  median${speed(median)}  ${result}`);
}

function measure(run: () => number): { best: number; median: number; result: number } {
  const times: number[] = [];
  let result = 0;
  for (let round = 0; round < 7; round++) {
    const before = performance.now();
    result = run();
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  return { best: times[0] ?? 0, median: times[3] ?? 0, result };
}

function deltas(count: number, gap: number): Uint8Array {
  const bytes: number[] = [];
  let seed = 7;
  for (let n = 0; n < count; n++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    let delta = 1 + ((seed >>> 8) % gap);
    for (; delta >= 128; delta >>>= 7) bytes.push((delta & 127) | 128);
    bytes.push(delta);
  }
  return Uint8Array.from(bytes);
}

function ascending(count: number, gap: number): Uint32Array {
  const numbers = new Uint32Array(count);
  let seed = count;
  let last = 0;
  for (let n = 0; n < count; n++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    last += 1 + ((seed >>> 8) % Math.max(1, gap));
    numbers[n] = last;
  }
  return numbers;
}
