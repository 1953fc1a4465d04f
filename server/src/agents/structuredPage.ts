/** Builds the structured content of a page: the objects that its lines stand for, within the budget of the text. */
import { byteLength, clean, clip } from "./cleanText";
import type { Line, Listing } from "./tool";

/** Strings are not cut further than this. */
const minBytes = 4;

export class StructuredPage {
  readonly #head: object;
  readonly #files: object[] = [];
  readonly #items: object[] = [];
  #available: number;
  #isEmpty = true;
  /** The heading of the file that the last line belongs to. */
  #heading: string | undefined;
  #lines: object[] = [];

  /** `summary` is clean. `footer` is what `finish` adds, at its longest. */
  constructor(
    { isExhaustive = true, reason, counts }: Listing,
    summary: string,
    maxBytes: number,
    footer: object,
  ) {
    const fixed = { isExhaustive, reason, ...counts };
    this.#available = maxBytes - sizeOf({ ...fixed, ...footer, files: [], items: [] });
    const head = cutToFit({ summary }, this.#available / 2, (text) => text);
    this.#head = { ...head, ...fixed };
    this.#available -= sizeOf(head);
  }

  /** Adds what a line stands for, and returns true; false if there is no room. The first one is cut to the room. */
  add({ file, item, headings: [heading] = [] }: Line): boolean {
    const isNewFile = file !== undefined && (heading === undefined || heading !== this.#heading);
    const added = { ...(isNewFile ? { file } : {}), ...(item === undefined ? {} : { item }) };
    const found: { readonly file?: object; readonly item?: object } = this.#isEmpty
      ? cutToFit(added, this.#available, clean)
      : mapStrings(added, clean);
    const size = sizeOf(found);
    if (!this.#isEmpty && size > this.#available) return false;
    this.#isEmpty = false;
    this.#available -= size;
    if (isNewFile) {
      this.#heading = heading;
      this.#lines = [];
      this.#files.push({ ...found.file, ...(item === undefined ? {} : { lines: this.#lines }) });
    }
    if (found.item !== undefined) (file === undefined ? this.#items : this.#lines).push(found.item);
    return true;
  }

  finish(footer: object): object {
    return {
      ...this.#head,
      ...footer,
      ...(this.#files.length === 0 ? {} : { files: this.#files }),
      ...(this.#items.length === 0 ? {} : { items: this.#items }),
    };
  }
}

function sizeOf(value: object): number {
  return byteLength(JSON.stringify(value));
}

/** Returns a copy with other strings, cut so that its JSON has at most `maxBytes` bytes if that is enough. */
function cutToFit<Value extends object>(
  value: Value,
  maxBytes: number,
  change: (text: string) => string,
): Value {
  let fitting = mapStrings(value, change);
  for (
    let length = maxBytes;
    sizeOf(fitting) > maxBytes && length > minBytes;
    length = Math.floor(length / 2)
  ) {
    fitting = mapStrings(value, (text) => clip(change(text), length));
  }
  return fitting;
}

function mapStrings<Value>(value: Value, change: (text: string) => string): Value;
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapStrings(field, change)]));
}
