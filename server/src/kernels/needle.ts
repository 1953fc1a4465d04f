/** A prepared needle: case-folded if case is ignored, with its two rarest bytes. */

export class Needle {
  /** A to Z are in lower case unless `caseSensitive`. */
  readonly bytes: Uint8Array;
  readonly caseSensitive: boolean;
  /** Offsets of the two bytes that are rarest in source code; equal if there is only one byte. */
  readonly first: number;
  readonly second: number;
  /** The address of a copy in the kernels' memory, valid while `epoch` equals theirs. */
  address = 0;
  epoch = 0;
  #failures: Uint32Array | undefined;

  constructor(bytes: Uint8Array, caseSensitive: boolean) {
    if (bytes.length === 0) throw new RangeError("A needle must not be empty.");
    this.bytes = caseSensitive ? bytes.slice() : bytes.map(foldByte);
    this.caseSensitive = caseSensitive;
    [this.first, this.second] = rarestOffsets(this.bytes);
  }

  /** The failure table of Knuth, Morris and Pratt: for each prefix, the length of its longest proper border. */
  get failures(): Uint32Array {
    this.#failures ??= failuresOf(this.bytes);
    return this.#failures;
  }
}

/** A to Z become a to z; every other byte stays. */
export function foldByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/**
 * The frequency of each byte in source code as a hexadecimal digit: log2 of occurrences in 65,536 bytes, plus one.
 * Measured over C, Python, TypeScript, JavaScript, Go and Markdown in equal parts.
 */
const frequencies =
  "000000000ab000000000000000000000d59755699996a8a9a888877777987985" +
  "5878887768468888858887665557773a8b9aaca9ab78babba7bbca9899687830" +
  "5332222322222314232252222322212522113222222212222222221242233332" +
  "0023111000000031320000002200000043622332220000035000000000000000";

const frequencyOf = Uint8Array.from(frequencies, (digit) => Number.parseInt(digit, 16));

function rarestOffsets(bytes: Uint8Array): [number, number] {
  let first = 0;
  for (let offset = 1; offset < bytes.length; offset++) {
    if (frequencyAt(bytes, offset) < frequencyAt(bytes, first)) first = offset;
  }
  let second = -1;
  for (let offset = 0; offset < bytes.length; offset++) {
    if (offset === first) continue;
    // A repeat of the first byte filters less than a different byte that is slightly more frequent.
    const other = frequencyAt(bytes, offset) + (bytes[offset] === bytes[first] ? 2 : 0);
    const best = second < 0 ? 99 : frequencyAt(bytes, second) + (bytes[second] === bytes[first] ? 2 : 0);
    if (other < best) second = offset;
  }
  return [first, second < 0 ? first : second];
}

function frequencyAt(bytes: Uint8Array, offset: number): number {
  return frequencyOf[bytes[offset] ?? 0] ?? 0;
}

function failuresOf(bytes: Uint8Array): Uint32Array {
  const failures = new Uint32Array(bytes.length);
  let length = 0;
  for (let at = 1; at < bytes.length; at++) {
    while (length > 0 && bytes[length] !== bytes[at]) length = failures[length - 1] ?? 0;
    if (bytes[length] === bytes[at]) length++;
    failures[at] = length;
  }
  return failures;
}
