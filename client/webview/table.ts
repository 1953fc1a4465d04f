/** The script of a page with a table. Unchanged parts keep their elements, and so focus, scroll position and open details. */
import type {
  FromTable,
  TableAction,
  TableCell,
  TableContent,
  TableField,
  TableNote,
  TableRow,
  ToTable,
} from "./tableMessages";
import { button, byId, element, icon } from "./tags";

const host = acquireVsCodeApi();
const post = (message: FromTable) => host.postMessage(message);

const fields = byId("fields");
const notes = byId("notes");
const frame = byId("frame");
const head = byId("head");
const body = byId("rows");
const more = byId("more");
const foot = byId("foot");

/** The JSON of the value that an element was made from. */
const sources = new WeakMap<Element, string>();

/** Makes the children of `parent` match the values by key, and keeps elements of unchanged values. */
function reconcile<Value>(
  parent: Element,
  values: readonly Value[],
  keyOf: (value: Value, index: number) => string,
  make: (value: Value) => HTMLElement,
  isSame: (before: string, now: string) => boolean = (before, now) => before === now,
): void {
  const known = new Map([...parent.children].map((child) => [child.getAttribute("data-key"), child]));
  const elements = values.map((value, index) => {
    const key = keyOf(value, index);
    const source = JSON.stringify(value);
    const current = known.get(key);
    if (current !== undefined && isSame(sources.get(current) ?? "", source)) return current;
    const element = make(value);
    element.setAttribute("data-key", key);
    sources.set(element, source);
    return element;
  });
  const kept = new Set<Element>(elements);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  // Elements in the right position are not moved, because a moved element loses the focus.
  elements.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
}

function show({ isBusy, columns, rows, ...content }: TableContent): void {
  const focused = document.activeElement;
  document.body.classList.toggle("busy", isBusy);
  frame.setAttribute("aria-busy", String(isBusy));
  showFields(content.fields);
  showNotes(content.notes);
  reconcile(head, columns, (_, index) => String(index), drawHead);
  reconcile(body, rows, ({ id }) => id, drawRow);
  frame.hidden = columns.length === 0;
  reconcile(more, content.more, ({ name }) => name, drawAction);
  foot.textContent = content.foot;
  // A button may have been removed by its own action.
  if (focused !== null && !focused.isConnected) frame.focus();
}

/** Keeps fields whose value alone changed, and sets the value unless the field has the focus. */
function showFields(next: readonly TableField[]): void {
  const shape = (text: string) => {
    const { value, ...rest } = JSON.parse(text || "{}");
    return JSON.stringify(rest);
  };
  reconcile(
    fields,
    next,
    ({ name }) => name,
    drawField,
    (before, now) => shape(before) === shape(now),
  );
  for (const { name, value } of next) {
    const input = byId<HTMLInputElement | HTMLSelectElement>(`field-${name}`);
    if (input !== document.activeElement && input.value !== value) input.value = value;
  }
}

/** Keeps the buttons of a note while its text changes. */
function showNotes(next: readonly TableNote[]): void {
  const shape = (source: string) => JSON.stringify({ ...JSON.parse(source || "{}"), text: "" });
  reconcile(
    notes,
    next,
    (_, index) => String(index),
    drawNote,
    (before, now) => shape(before) === shape(now),
  );
  next.forEach(({ text }, index) => {
    const words = notes.children[index]?.querySelector(".words");
    if (words && words.textContent !== text) words.textContent = text;
  });
}

function drawField(field: TableField): HTMLElement {
  const { kind, name, label } = field;
  const attributes = { id: `field-${name}`, name };
  const set = (value: string) => post({ kind: "set", name, value });
  if (kind === "choice") {
    const options = field.choices.map(({ value, text }) =>
      element("option", { attributes: { value } }, text),
    );
    const select = element("select", { attributes: { ...attributes, "aria-label": label } }, ...options);
    select.value = field.value;
    select.addEventListener("change", () => set(select.value));
    return element("div", { class: "field" }, select);
  }
  const shown =
    kind === "text"
      ? { type: "text", placeholder: label, "aria-label": label, spellcheck: "false", autocomplete: "off" }
      : { type: "datetime-local" };
  const input = element("input", { attributes: { ...attributes, ...shown } });
  input.value = field.value;
  input.addEventListener(kind === "text" ? "input" : "change", () => set(input.value));
  if (kind === "text") return element("div", { class: "field field-text" }, input);
  return element("label", { class: "field" }, element("span", {}, label), input);
}

function drawNote({ severity, text, actions }: TableNote): HTMLElement {
  const role = severity === "error" ? "alert" : "status";
  return element(
    "div",
    { class: `note note-${severity}`, attributes: { role } },
    ...(severity === "plain" ? [] : [icon(severity)]),
    element(
      "span",
      {},
      element("span", { class: "words" }, text),
      ...actions.flatMap((action) => [" ", drawAction(action)]),
    ),
  );
}

function drawHead(text: string): HTMLElement {
  return element("th", { attributes: { scope: "col" } }, text);
}

function drawRow({ cells }: TableRow): HTMLElement {
  return element("tr", {}, ...cells.map((cell) => element("td", {}, drawCell(cell))));
}

function drawCell(cell: TableCell): Node | string {
  if (typeof cell === "string") return cell;
  if ("text" in cell) return element("span", { attributes: { title: cell.title } }, cell.text);
  if ("time" in cell) return element("span", { class: "time", attributes: { title: cell.title } }, cell.time);
  if ("actions" in cell) return element("div", { class: "actions" }, ...cell.actions.map(drawAction));
  return element("details", {}, element("summary", {}, cell.summary), element("pre", {}, cell.details));
}

function drawAction({ title, name, value, label }: TableAction): HTMLElement {
  const attributes = label === undefined ? {} : { "aria-label": label };
  const onClick = () => post({ kind: "run", name, ...(value === undefined ? {} : { value }) });
  return button({ class: "link", attributes, onClick }, title);
}

addEventListener("message", ({ data }: MessageEvent<ToTable>) => show(data.content));
post({ kind: "ready" });
