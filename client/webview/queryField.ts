/**
 * The text field: one line that grows to five, with squiggles.
 *
 * A mirror element behind the text area contains the same text. It determines the height and shows the squiggles, which a
 * text area cannot.
 */
import type { BoxProblem } from "./messages";
import { element } from "./tags";

export class QueryField {
  readonly input: HTMLTextAreaElement;
  readonly #mirror: HTMLElement;
  #problems: readonly BoxProblem[] = [];
  /** The text that the problems refer to. */
  #markedText = "";
  #isReplacing = false;

  /** `onType` is called when the user types, not after `replace`. */
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

  /** Replaces the text as if it were typed, so that undo restores the old text. */
  replace(text: string, caret: number = text.length): void {
    if (text !== this.text) this.replaceRange(0, this.text.length, text);
    this.input.setSelectionRange(caret, caret);
  }

  /** Replaces a range of the text, and puts the caret after it. */
  replaceRange(offset: number, length: number, text: string): void {
    const { activeElement } = document;
    this.#isReplacing = true;
    if (!this.#typeText(offset, length, text)) {
      const { value } = this.input;
      this.input.value = value.slice(0, offset) + text + value.slice(offset + length);
    }
    this.#isReplacing = false;
    if (activeElement instanceof HTMLElement && activeElement !== document.body) {
      activeElement.focus({ preventScroll: true });
    }
    this.#draw();
  }

  /** Underlines the problems of `text` while the field contains that text. */
  mark(text: string, problems: readonly BoxProblem[]): void {
    this.#markedText = text;
    this.#problems = problems;
    this.#draw();
  }

  /** Returns whether the caret is on the first or last visual line. */
  isAtEdge(edge: "first" | "last"): boolean {
    const lineHeight = Number.parseFloat(getComputedStyle(this.#mirror).lineHeight);
    const whole = document.createRange();
    whole.selectNodeContents(this.#mirror);
    const { top, bottom } = whole.getBoundingClientRect();
    const caret = this.#boundsAt(this.caret);
    return edge === "first" ? caret.top - top < lineHeight / 2 : bottom - caret.bottom < lineHeight / 2;
  }

  /**
   * Inserts text as if typed, which keeps the undo history, unlike setting the value. Returns false if the view does not
   * have the focus, which this requires.
   */
  #typeText(offset: number, length: number, text: string): boolean {
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
    const marks = text === this.#markedText ? this.#problems : [];
    const parts: (Node | string)[] = [];
    let drawn = 0;
    for (const { range, severity } of marks.toSorted(byOffset)) {
      if (range === undefined || range.offset < drawn) continue;
      const { start, end } = visibleRange(text, range);
      if (start < drawn) continue;
      parts.push(text.slice(drawn, start));
      parts.push(element("span", { class: `squiggle squiggle-${severity}` }, text.slice(start, end)));
      drawn = end;
    }
    // A zero-width space keeps an empty last line from collapsing.
    this.#mirror.replaceChildren(...parts, `${text.slice(drawn)}\u200b`);
    this.#mirror.scrollTop = this.input.scrollTop;
  }
}

function byOffset(one: BoxProblem, other: BoxProblem): number {
  return (one.range?.offset ?? 0) - (other.range?.offset ?? 0);
}

/** Extends an empty range, or one after the text, to the character before it. */
function visibleRange(
  text: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): { start: number; end: number } {
  const end = Math.min(text.length, offset + Math.max(1, length));
  return { start: Math.max(0, Math.min(offset, end - 1)), end };
}
