/** Damages sections of the files in a data directory. */
import type { Random } from "#test/support/corpus";

export interface Section {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

/** Locates the section table and the nonempty sections of a shard or symbol file. */
export function shardLayout(bytes: Buffer): {
  readonly tableStart: number;
  readonly sections: readonly Section[];
} {
  const tableStart = bytes.length - 16 - bytes.readUInt32LE(bytes.length - 16);
  const table = JSON.parse(bytes.toString("utf8", tableStart, bytes.length - 16)) as Record<
    string,
    [offset: number, length: number, checksum: number]
  >;
  const sections = Object.entries(table)
    .map(([name, [offset, length]]) => ({ name, offset, length }))
    .filter(({ length }) => length > 0);
  return { tableStart, sections };
}

/** Returns the sections of a file in a data directory, by its name; at least one. */
export function sectionsOf(file: string, bytes: Buffer): readonly Section[] {
  if (/\.(shard|symbols)$/.test(file)) {
    const { tableStart, sections } = shardLayout(bytes);
    const first = Math.min(...sections.map(({ offset }) => offset));
    return [
      { name: "header", offset: 0, length: first },
      ...sections,
      { name: "table", offset: tableStart, length: bytes.length - 16 - tableStart },
      { name: "trailer", offset: bytes.length - 16, length: 16 },
    ];
  }
  if (file.endsWith("trawl.db")) return [{ name: "header", offset: 0, length: 100 }, ...pages(bytes, 100, 0)];
  if (file.endsWith("-wal")) return [{ name: "header", offset: 0, length: 32 }, ...pages(bytes, 32, 24)];
  const length = Math.max(1, Math.floor(bytes.length / 4));
  return ["start", "second quarter", "third quarter", "end"]
    .map((name, at) => ({ name, offset: at * length, length }))
    .filter(({ offset }) => offset < bytes.length);
}

const pageBytes = 4096;

/** Splits the bytes from `start` into pages, each with a header of `head` bytes. */
function pages(bytes: Buffer, start: number, head: number): Section[] {
  const found: Section[] = [];
  for (let offset = start, at = 1; offset < bytes.length; at++) {
    const end = head === 0 ? at * pageBytes : offset + head + pageBytes;
    found.push({ name: `page ${at}`, offset, length: Math.min(end, bytes.length) - offset });
    offset = end;
  }
  return found;
}

export const damages = ["flip", "zero", "cut", "extend", "foreign", "remove"] as const;
export type Damage = (typeof damages)[number];

/** Returns the damaged file, or undefined if it was removed. `foreign` is the content of a different file. */
export function damaged(
  bytes: Buffer,
  { offset, length }: Section,
  damage: Damage,
  random: Random,
  foreign: Buffer,
): Buffer | undefined {
  const copy = Buffer.from(bytes);
  switch (damage) {
    case "flip": {
      const position = random.between(offset, offset + length - 1);
      copy.writeUInt8(copy.readUInt8(position) ^ (1 << random.between(0, 7)), position);
      return copy;
    }
    case "zero":
      return copy.fill(0, offset, offset + length);
    case "cut":
      return copy.subarray(0, random.between(offset, offset + length - 1));
    case "extend": {
      const more = Buffer.from(Array.from({ length: random.between(1, 64) }, () => random.between(0, 255)));
      return Buffer.concat([copy.subarray(0, offset + length), more, copy.subarray(offset + length)]);
    }
    case "foreign":
      for (let at = offset; at < offset + length; at++) copy[at] = foreign[at % foreign.length] ?? 0;
      return copy;
    case "remove":
      return undefined;
  }
}
