/**
 * The text field: one line that grows to five, with squiggles.
 *
 * A mirror behind the text area holds the same text: it gives the height, and carries what a text area cannot show.
 */
import type { BoxProblem } from "./messages";
import { element } from "./tags";

export class QueryField {
  readonly input: HTMLTextAreaElement;
  readonly #mirror: HTMLElement;
  #problems: readonly BoxProblem[] = [];
  /** The text that the problems are about. */
  #read = "";
  #isReplacing = false;

  /** `onType` hears of what a person types, not of `replace`. */
  constructor(input: HTMLTextAreaElement, mirror: HTMLElement, onType: () => void) {
    this.input = input;
    this.#mirror = mirror;
    input.addEventListener("input", () => {
      this.#draw();
      if (!this.#isReplacing) onType();
    });
    input.addEventListener("scroll", () => {
      mirror.scrollTop = input.scrollTop;
    });
    this.#draw();
  }

  get text(): string {
    return this.input.value;
  }

  get caret(): number {
    return this.input.selectionStart;
  }

  /** Puts in another text as if it were typed, so that undo brings the old one back. */
  replace(text: string, caret: number = text.length): void {
    if (text !== this.text) this.replaceStretch(0, this.text.length, text);
    this.input.setSelectionRange(caret, caret);
  }

  /** Of the text only a stretch; the caret stands behind it. */
  replaceStretch(offset: number, length: number, text: string): void {
    const { activeElement } = document;
    this.#isReplacing = true;
    if (!this.#typed(offset, length, text)) {
      const { value } = this.input;
      this.input.value = value.slice(0, offset) + text + value.slice(offset + length);
    }
    this.#isReplacing = false;
    if (activeElement instanceof HTMLElement && activeElement !== document.body) {
      activeElement.focus({ preventScroll: true });
    }
    this.#draw();
  }

  /** `read` is the text that the problems are about; they are shown while it stands there. */
  mark(read: string, problems: readonly BoxProblem[]): void {
    this.#read = read;
    this.#problems = problems;
    this.#draw();
  }

  /** Whether the caret stands on the first line as it is seen, or on the last. */
  isAtEdge(edge: "first" | "last"): boolean {
    const lineHeight = Number.parseFloat(getComputedStyle(this.#mirror).lineHeight);
    const whole = document.createRange();
    whole.selectNodeContents(this.#mirror);
    const { top, bottom } = whole.getBoundingClientRect();
    const caret = this.#boundsAt(this.caret);
    return edge === "first" ? caret.top - top < lineHeight / 2 : bottom - caret.bottom < lineHeight / 2;
  }

  /** Setting the value would forget what can be undone; typing needs the focus, which is not taken from another view. */
  #typed(offset: number, length: number, text: string): boolean {
    if (!document.hasFocus()) return false;
    this.input.focus({ preventScroll: true });
    this.input.setSelectionRange(offset, offset + length);
    return document.execCommand(text === "" ? "delete" : "insertText", false, text);
  }

  #boundsAt(offset: number): DOMRect {
    const range = document.createRange();
    const walker = document.createTreeWalker(this.#mirror, NodeFilter.SHOW_TEXT);
    let rest = offset;
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const length = node.nodeValue?.length ?? 0;
      range.setStart(node, Math.min(rest, length));
      range.collapse(true);
      if (rest < length) break;
      rest -= length;
    }
    return range.getBoundingClientRect();
  }

  #draw(): void {
    const { text } = this;
    const marks = text === this.#read ? this.#problems : [];
    const parts: (Node | string)[] = [];
    let drawn = 0;
    for (const { place, severity } of marks.toSorted(byOffset)) {
      if (place === undefined || place.offset < drawn) continue;
      const { start, end } = visibleStretch(text, place);
      if (start < drawn) continue;
      parts.push(text.slice(drawn, start));
      parts.push(element("span", { class: `squiggle squiggle-${severity}` }, text.slice(start, end)));
      drawn = end;
    }
    // A last line that is empty needs something on it to have a height.
    this.#mirror.replaceChildren(...parts, `${text.slice(drawn)}\u200b`);
    this.#mirror.scrollTop = this.input.scrollTop;
  }
}

function byOffset(one: BoxProblem, other: BoxProblem): number {
  return (one.place?.offset ?? 0) - (other.place?.offset ?? 0);
}

/** A place behind the text, or between two characters, is seen at the character before it. */
function visibleStretch(
  text: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): { start: number; end: number } {
  const end = Math.min(text.length, offset + Math.max(1, length));
  return { start: Math.max(0, Math.min(offset, end - 1)), end };
}
