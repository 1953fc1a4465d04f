/** The script of a page with a table. What stays the same keeps its element, and with it keyboard, scroll and what is open. */
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

/** What an element was made from. */
const sources = new WeakMap<Element, string>();

/** Makes `place` hold one element for each value; one that is as before stays as it is. */
function keep<Value>(
  place: Element,
  values: readonly Value[],
  keyOf: (value: Value, at: number) => string,
  make: (value: Value) => HTMLElement,
  isSame: (before: string, now: string) => boolean = (before, now) => before === now,
): void {
  const known = new Map([...place.children].map((child) => [child.getAttribute("data-key"), child]));
  const wanted = values.map((value, at) => {
    const key = keyOf(value, at);
    const source = JSON.stringify(value);
    const present = known.get(key);
    if (present !== undefined && isSame(sources.get(present) ?? "", source)) return present;
    const made = make(value);
    made.setAttribute("data-key", key);
    sources.set(made, source);
    return made;
  });
  const kept = new Set<Element>(wanted);
  for (const child of [...place.children]) if (!kept.has(child)) child.remove();
  // Nothing that stays is taken out, or the keyboard would lose it.
  wanted.forEach((child, at) => {
    if (place.children[at] !== child) place.insertBefore(child, place.children[at] ?? null);
  });
}

function show({ isBusy, columns, rows, ...content }: TableContent): void {
  const hadKeyboard = document.activeElement;
  document.body.classList.toggle("busy", isBusy);
  frame.setAttribute("aria-busy", String(isBusy));
  showFields(content.fields);
  showNotes(content.notes);
  keep(head, columns, (_, at) => String(at), drawHead);
  keep(body, rows, ({ id }) => id, drawRow);
  frame.hidden = columns.length === 0;
  keep(more, content.more, ({ name }) => name, drawAction);
  foot.textContent = content.foot;
  // What was pressed may have gone with what it did.
  if (hadKeyboard !== null && !hadKeyboard.isConnected) frame.focus();
}

/** A field that is written in is not taken away from under the hands: only its value is set, and not while it has the keyboard. */
function showFields(wanted: readonly TableField[]): void {
  const shape = (text: string) => {
    const { value, ...rest } = JSON.parse(text || "{}");
    return JSON.stringify(rest);
  };
  keep(
    fields,
    wanted,
    ({ name }) => name,
    drawField,
    (before, now) => shape(before) === shape(now),
  );
  for (const { name, value } of wanted) {
    const input = byId<HTMLInputElement | HTMLSelectElement>(`field-${name}`);
    if (input !== document.activeElement && input.value !== value) input.value = value;
  }
}

/** What can be pressed stays where it is while the words before it change. */
function showNotes(wanted: readonly TableNote[]): void {
  const shape = (source: string) => JSON.stringify({ ...JSON.parse(source || "{}"), text: "" });
  keep(
    notes,
    wanted,
    (_, at) => String(at),
    drawNote,
    (before, now) => shape(before) === shape(now),
  );
  wanted.forEach(({ text }, at) => {
    const words = notes.children[at]?.querySelector(".words");
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
