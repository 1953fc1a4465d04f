/** Converts columns in requests and responses to offsets in an editor. Pure: does not use VS Code. */

/** Converts columns (code points, from 1) of one line to UTF-16 offsets (from 0); fast when columns ascend. */
export class ColumnOffsets {
  readonly #text: string;
  #column = 1;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  offsetOf(column: number): number {
    if (column < this.#column) {
      this.#column = 1;
      this.#offset = 0;
    }
    while (this.#column < column && this.#offset < this.#text.length) {
      this.#offset += (this.#text.codePointAt(this.#offset) ?? 0) > 0xffff ? 2 : 1;
      this.#column++;
    }
    return this.#offset;
  }
}

/** Converts one column (code points, from 1) to a UTF-16 offset (from 0). */
export function utf16Offset(text: string, column: number): number {
  return new ColumnOffsets(text).offsetOf(column);
}
