/**
 * Reads git's commit-graph file (see gitformat-commit-graph(5)), to count commits without reading them.
 *
 * Layout: `CGPH`, the version 1, the version of the hash, the number of chunks, and 0 base graphs; a table of chunks, each
 * a name of four bytes and an offset of eight; the chunks; and a checksum of everything before it. `OIDF` is a fan-out
 * table, `OIDL` the sorted hashes. An entry of `CDAT` is the hash of the tree, two parents as positions in `OIDL`, and
 * eight bytes of generation and date. If there are more parents, the second one is a position in `EDGE` with the highest
 * bit set, where the rest follow; the last of them has the highest bit set. All numbers are big-endian.
 */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { TimeSlice } from "#platform/timeSlice";

const noParent = 0x70000000;
const highestBit = 0x80000000;
const chunkRowBytes = 12;
const headerBytes = 8;
const hashSlice = 4 * 1024 * 1024;
/** Checking the time for every commit would take longer than visiting it. */
const commitsPerCheck = 4096;

export class CommitGraph {
  readonly size: number;
  readonly #bytes: Buffer;
  readonly #hashBytes: number;
  readonly #chunks: ReadonlyMap<string, number>;

  /** Throws a RangeError for anything but a commit-graph without base graphs. */
  private constructor(bytes: Buffer) {
    const version = bytes.readUInt8(5);
    if (bytes.toString("latin1", 0, 5) !== "CGPH\x01" || version > 2 || bytes.readUInt8(7) !== 0)
      throw new RangeError("Not a commit-graph without base graphs");
    this.#bytes = bytes;
    this.#hashBytes = version === 2 ? 32 : 20;
    const chunks = new Map<string, number>();
    for (let row = 0; row < bytes.readUInt8(6); row++) {
      const at = headerBytes + row * chunkRowBytes;
      chunks.set(bytes.toString("latin1", at, at + 4), Number(bytes.readBigUInt64BE(at + 4)));
    }
    this.#chunks = chunks;
    this.size = bytes.readUInt32BE(this.#chunk("OIDF") + 255 * 4);
    if (this.size * this.#hashBytes > bytes.length) throw new RangeError("The commit-graph is too short");
  }

  /** Reads a file and verifies its checksum. Returns `undefined` if that fails. */
  static async read(path: string): Promise<CommitGraph | undefined> {
    try {
      if (!(await stat(path)).isFile()) return undefined;
      const bytes = await readFile(path);
      const graph = new CommitGraph(bytes);
      const end = bytes.length - graph.#hashBytes;
      const hash = createHash(graph.#hashBytes === 32 ? "sha256" : "sha1");
      const slice = new TimeSlice();
      for (let at = 0; at < end; at += hashSlice) {
        hash.update(bytes.subarray(at, Math.min(end, at + hashSlice)));
        if (slice.isExpired) await slice.yieldToEventLoop();
      }
      return hash.digest().equals(bytes.subarray(end)) ? graph : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns the position of a commit, or `undefined` if the graph does not contain it. */
  find(hash: string): number | undefined {
    const wanted = Buffer.from(hash, "hex");
    const hashes = this.#chunk("OIDL");
    const fanout = this.#chunk("OIDF");
    const first = wanted[0] ?? 0;
    let low = first === 0 ? 0 : this.#bytes.readUInt32BE(fanout + (first - 1) * 4);
    let high = this.#bytes.readUInt32BE(fanout + first * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = hashes + middle * this.#hashBytes;
      const order = wanted.compare(this.#bytes, start, start + this.#hashBytes);
      if (order === 0) return middle;
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return undefined;
  }

  /** Counts the commits reachable from these positions, including themselves. Throws a RangeError for a damaged graph. */
  async countReachable(positions: Iterable<number>): Promise<number> {
    const bytes = this.#bytes;
    const entryBytes = this.#hashBytes + 16;
    const parents = this.#chunk("CDAT") + this.#hashBytes;
    const edges = this.#chunks.get("EDGE");
    const isFound = new Uint8Array(this.size);
    const pending: number[] = [];
    const slice = new TimeSlice();
    let count = 0;
    const visit = (position: number) => {
      if (position >= this.size) throw new RangeError(`The commit-graph has no position ${position}`);
      if (isFound[position] === 1) return;
      isFound[position] = 1;
      count++;
      pending.push(position);
    };
    for (const position of positions) visit(position);
    for (let position = pending.pop(); position !== undefined; position = pending.pop()) {
      if (count % commitsPerCheck === 0 && slice.isExpired) await slice.yieldToEventLoop();
      const at = parents + position * entryBytes;
      const [one, other] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
      if (one !== noParent) visit(one);
      if (other < highestBit) {
        if (other !== noParent) visit(other);
        continue;
      }
      if (edges === undefined) throw new RangeError("The commit-graph has no EDGE chunk");
      for (let edge = edges + (other - highestBit) * 4, value = 0; value < highestBit; edge += 4) {
        value = bytes.readUInt32BE(edge);
        visit(value % highestBit);
      }
    }
    return count;
  }

  #chunk(name: string): number {
    const offset = this.#chunks.get(name);
    if (offset === undefined) throw new RangeError(`The commit-graph has no ${name} chunk`);
    return offset;
  }
}
