/** The list of ways to go on at the caret. Focus stays in the field, which names the chosen row. */
import type { QueryCompletion, QueryCompletions } from "#contract/queries";
import type { QueryField } from "./queryField";
import { element } from "./tags";

export interface ProposalsOptions {
  readonly field: QueryField;
  readonly list: HTMLElement;
  /** Asks for proposals; they come back through `show` with this number. */
  readonly ask: (id: number, query: string, offset: number, isWanted: boolean) => void;
  /** A proposal has been put into the text. */
  readonly onAccept: () => void;
}

const debounceMs = 60;

export class Proposals {
  readonly #options: ProposalsOptions;
  #items: readonly QueryCompletion[] = [];
  #replaced = { offset: 0, length: 0 };
  #selected = -1;
  #lastId = 0;
  #isWanted = false;
  #timer: number | undefined;

  constructor(options: ProposalsOptions) {
    this.#options = options;
    options.list.addEventListener("mousedown", (event) => {
      // The field keeps the focus.
      event.preventDefault();
      const row = (event.target as Element).closest("[role=option]");
      if (row === null) return;
      this.#accept([...options.list.children].indexOf(row));
    });
  }

  get isOpen(): boolean {
    return !this.#options.list.hidden;
  }

  /** Asks anew; with `isWanted` all that could stand here, as a person asked for it. */
  ask({ isWanted }: { readonly isWanted: boolean }): void {
    clearTimeout(this.#timer);
    const id = ++this.#lastId;
    const ask = () => {
      const { text, caret } = this.#options.field;
      this.#isWanted = isWanted;
      this.#options.ask(id, text, caret, isWanted);
    };
    if (isWanted) ask();
    else this.#timer = window.setTimeout(ask, debounceMs);
  }

  show(id: number, { offset, length, items }: QueryCompletions): void {
    const { field } = this.#options;
    if (id !== this.#lastId || document.activeElement !== field.input) return;
    const written = field.text.slice(offset, offset + length);
    const isFinished = items.some(({ text }) => text.trimEnd().toLowerCase() === written.toLowerCase());
    if (
      items.length === 0 ||
      (!this.#isWanted && (written === "" || isFinished) && !endsFilter(field, offset))
    ) {
      this.close();
      return;
    }
    this.#items = items;
    this.#replaced = { offset, length };
    this.#draw();
    // Enter searches, unless a person has gone into the list.
    this.#select(this.#isWanted ? 0 : -1);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#lastId++;
    this.#options.list.hidden = true;
    this.#select(-1);
  }

  /** Whether the key was meant for the list. */
  handle(event: KeyboardEvent): boolean {
    if (!this.isOpen || event.ctrlKey || event.metaKey || event.altKey) return false;
    switch (event.key) {
      case "ArrowDown":
        this.#select((this.#selected + 1) % this.#items.length);
        return true;
      case "ArrowUp":
        if (this.#selected < 0) return false;
        this.#select(this.#selected - 1);
        return true;
      case "Tab":
        if (event.shiftKey) return false;
        this.#accept(Math.max(0, this.#selected));
        return true;
      case "Enter":
        if (this.#selected < 0 || event.shiftKey) return false;
        this.#accept(this.#selected);
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
    const { offset, length } = this.#replaced;
    this.close();
    this.#options.field.replaceStretch(offset, length, item.text);
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
    // It may not leave the view, which shows nothing beyond its own edges.
    const room = window.innerHeight - list.getBoundingClientRect().top - 4;
    list.style.maxHeight = `${Math.max(66, room)}px`;
    field.input.setAttribute("aria-controls", list.id);
  }

  #select(index: number): void {
    const { list, field } = this.#options;
    this.#selected = index;
    for (const [at, row] of [...list.children].entries()) {
      row.setAttribute("aria-selected", String(at === index));
    }
    if (index < 0) field.input.removeAttribute("aria-activedescendant");
    else field.input.setAttribute("aria-activedescendant", `proposal-${index}`);
    list.children[index]?.scrollIntoView({ block: "nearest" });
  }
}

/** Whether a filter's name and colon stand right before: its values are worth seeing before one is begun. */
function endsFilter({ text }: QueryField, offset: number): boolean {
  return /(?:^|[\s(-])[a-z]+:$/.test(text.slice(0, offset));
}
