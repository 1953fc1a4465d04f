/** The list of completions at the caret. The focus stays in the field, which references the selected row for ARIA. */
import type { QueryCompletion, QueryCompletions } from "#contract/queries";
import type { QueryField } from "./queryField";
import { element } from "./tags";

export interface CompletionListOptions {
  readonly field: QueryField;
  readonly list: HTMLElement;
  /** Requests completions; `show` is called with the same `id`. */
  readonly send: (id: number, query: string, offset: number, isExplicit: boolean) => void;
  /** Called after a completion was inserted. */
  readonly onAccept: () => void;
}

const debounceMs = 60;

export class CompletionList {
  readonly #options: CompletionListOptions;
  #items: readonly QueryCompletion[] = [];
  #replacedRange = { offset: 0, length: 0 };
  #selectedIndex = -1;
  #lastId = 0;
  #isExplicit = false;
  #timer: number | undefined;

  constructor(options: CompletionListOptions) {
    this.#options = options;
    options.list.addEventListener("mousedown", (event) => {
      // Keeps the focus in the field.
      event.preventDefault();
      const row = (event.target as Element).closest("[role=option]");
      if (row === null) return;
      this.#accept([...options.list.children].indexOf(row));
    });
  }

  get isOpen(): boolean {
    return !this.#options.list.hidden;
  }

  /** Requests completions; with `isExplicit`, at the user's request, so that all are shown. */
  request({ isExplicit }: { readonly isExplicit: boolean }): void {
    clearTimeout(this.#timer);
    const id = ++this.#lastId;
    const send = () => {
      const { text, caret } = this.#options.field;
      this.#isExplicit = isExplicit;
      this.#options.send(id, text, caret, isExplicit);
    };
    if (isExplicit) send();
    else this.#timer = window.setTimeout(send, debounceMs);
  }

  show(id: number, { offset, length, items }: QueryCompletions): void {
    const { field } = this.#options;
    if (id !== this.#lastId || document.activeElement !== field.input) return;
    const typed = field.text.slice(offset, offset + length);
    const isFinished = items.some(({ text }) => text.trimEnd().toLowerCase() === typed.toLowerCase());
    if (
      items.length === 0 ||
      (!this.#isExplicit && (typed === "" || isFinished) && !endsFilter(field, offset))
    ) {
      this.close();
      return;
    }
    this.#items = items;
    this.#replacedRange = { offset, length };
    this.#draw();
    // Enter searches unless the user has selected a row.
    this.#select(this.#isExplicit ? 0 : -1);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#lastId++;
    this.#options.list.hidden = true;
    this.#select(-1);
  }

  /** Returns whether the list handled the key. */
  handle(event: KeyboardEvent): boolean {
    if (!this.isOpen || event.ctrlKey || event.metaKey || event.altKey) return false;
    switch (event.key) {
      case "ArrowDown":
        this.#select((this.#selectedIndex + 1) % this.#items.length);
        return true;
      case "ArrowUp":
        if (this.#selectedIndex < 0) return false;
        this.#select(this.#selectedIndex - 1);
        return true;
      case "Tab":
        if (event.shiftKey) return false;
        this.#accept(Math.max(0, this.#selectedIndex));
        return true;
      case "Enter":
        if (this.#selectedIndex < 0 || event.shiftKey) return false;
        this.#accept(this.#selectedIndex);
        return true;
      case "Escape":
        this.close();
        return true;
      default:
        return false;
    }
  }

  #accept(index: number): void {
    const item = this.#items[index];
    if (item === undefined) return;
    const { offset, length } = this.#replacedRange;
    this.close();
    this.#options.field.replaceRange(offset, length, item.text);
    this.#options.onAccept();
  }

  #draw(): void {
    const { list, field } = this.#options;
    const rows = this.#items.map(({ label, detail }, index) =>
      element(
        "div",
        {
          class: "proposal",
          attributes: { role: "option", id: `proposal-${index}`, "aria-selected": "false" },
        },
        element("span", { class: "proposal-label" }, label),
        element("span", { class: "proposal-detail" }, detail),
      ),
    );
    list.replaceChildren(...rows);
    list.hidden = false;
    // The list must fit into the view, which clips it.
    const room = window.innerHeight - list.getBoundingClientRect().top - 4;
    list.style.maxHeight = `${Math.max(66, room)}px`;
    field.input.setAttribute("aria-controls", list.id);
  }

  #select(index: number): void {
    const { list, field } = this.#options;
    this.#selectedIndex = index;
    for (const [rowIndex, row] of [...list.children].entries()) {
      row.setAttribute("aria-selected", String(rowIndex === index));
    }
    if (index < 0) field.input.removeAttribute("aria-activedescendant");
    else field.input.setAttribute("aria-activedescendant", `proposal-${index}`);
    list.children[index]?.scrollIntoView({ block: "nearest" });
  }
}

/** Returns whether a filter's name and colon precede the offset: its values are shown before one is typed. */
function endsFilter({ text }: QueryField, offset: number): boolean {
  return /(?:^|[\s(-])[a-z]+:$/.test(text.slice(0, offset));
}
