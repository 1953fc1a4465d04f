/** Draws the parts around the text field: chips, problems, status, and the welcome of an empty box. */
import type {
  BoxAction,
  BoxChip,
  BoxInterpretation,
  BoxNote,
  BoxProblem,
  BoxStatus,
  BoxWelcome,
} from "./messages";
import { button, element, type Icon, icon } from "./tags";

export interface Drawing {
  /** `forQuery`: the query that a change of the query was made for. */
  readonly act: (action: BoxAction, forQuery?: string) => void;
}

export function drawChips(
  container: HTMLElement,
  { query, chips }: BoxInterpretation,
  { act }: Drawing,
): void {
  const focused = [...container.children].findIndex((chip) => chip.contains(document.activeElement));
  container.replaceChildren(...chips.map((chip) => drawChip(chip, query, act)));
  container.hidden = chips.length === 0;
  // The focus stays among the chips, so that several can be removed in a row.
  if (focused >= 0) container.children[Math.min(focused, chips.length - 1)]?.querySelector("button")?.focus();
}

function drawChip(
  { text, title, isNegated, isFileFilter, remove }: BoxChip,
  forQuery: string,
  act: Drawing["act"],
): HTMLElement {
  const removeButton = button(
    {
      class: "chip-remove",
      attributes: { "aria-label": remove.title, title: remove.title },
      onClick: () => act(remove, forQuery),
    },
    icon("close"),
  );
  removeButton.addEventListener("keydown", ({ key }) => {
    if (key === "Delete" || key === "Backspace") act(remove, forQuery);
  });
  const attributes = { role: "listitem", ...(title === "" ? {} : { title }) };
  const label = element("span", { class: "chip-text" }, text);
  if (title !== "") label.append(element("span", { class: "unseen" }, ` (${title})`));
  return element(
    "span",
    {
      class: `chip${isNegated ? " chip-negated" : ""}${isFileFilter ? " chip-file" : ""}`,
      attributes,
    },
    label,
    removeButton,
  );
}

export function drawProblems(
  container: HTMLElement,
  { query, problems }: BoxInterpretation,
  { act }: Drawing,
): void {
  container.replaceChildren(...problems.map((problem) => drawProblem(problem, query, act)));
  container.hidden = problems.length === 0;
}

function drawProblem(
  { severity, message, fixes }: BoxProblem,
  forQuery: string,
  act: Drawing["act"],
): HTMLElement {
  return element(
    "div",
    { class: `note note-${severity}` },
    icon(severity),
    element("span", {}, message, ...links(fixes, (action) => act(action, forQuery))),
  );
}

export function drawStatus(container: HTMLElement, status: BoxStatus, { act }: Drawing): void {
  const { summary, suggestions, offer, isInResults = false } = status;
  const notes = status.notes.filter(({ severity }) => !isInResults || severity !== "warning");
  const line = element("div", { class: isInResults ? "summary unseen" : "summary" }, summary);
  if (!isInResults && suggestions !== undefined && suggestions.actions.length > 0) {
    line.append(" ", suggestions.title, ...links(suggestions.actions, act));
  }
  container.replaceChildren(
    ...(line.textContent === "" ? [] : [line]),
    ...notes.map((note) => drawNote(note, act)),
    ...(offer === undefined ? [] : [drawNote({ ...offer, severity: "info" }, act)]),
  );
}

const noteIcons: Readonly<Record<BoxNote["severity"], Icon>> = {
  error: "error",
  warning: "warning",
  info: "info",
};

function drawNote({ text, severity, actions }: BoxNote, act: Drawing["act"]): HTMLElement {
  return element(
    "div",
    { class: `note note-${severity}` },
    icon(noteIcons[severity]),
    element("span", {}, text, ...links(actions, act, text.endsWith(".") ? " " : " · ")),
  );
}

/** Returns buttons styled as links, with dots between them. A primary action looks like a button. */
function links(
  actions: readonly BoxAction[],
  act: (action: BoxAction) => void,
  firstSeparator = " ",
): Node[] {
  return actions.flatMap((action, index) => {
    const isAfterButton = actions[index - 1]?.isPrimary === true;
    const separator = index === 0 ? firstSeparator : isAfterButton ? " " : " · ";
    const dot = element("span", { class: "dot", attributes: { "aria-hidden": "true" } }, separator);
    return [dot, action.isPrimary === true ? actionButton(action, act) : linkTo(action, act)];
  });
}

function linkTo(action: BoxAction, act: (action: BoxAction) => void): HTMLElement {
  return button({ class: "link", onClick: () => act(action) }, action.title);
}

function actionButton(action: BoxAction, act: (action: BoxAction) => void): HTMLElement {
  const names = action.isPrimary === true ? "action action-primary" : "action";
  return button({ class: names, onClick: () => act(action) }, action.title);
}

/** Returns the status as sentences for screen readers. */
export function spokenStatus({ summary, suggestions, notes }: BoxStatus): string {
  const titles = (suggestions?.actions ?? []).map(({ title }) => title).join(", ");
  return [
    summary.replaceAll(" · ", ", "),
    suggestions === undefined || titles === "" ? "" : `${suggestions.title} ${titles}`,
    ...notes.map(({ text }) => text),
  ]
    .filter((part) => part !== "")
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`))
    .join(" ");
}

export function drawWelcome(container: HTMLElement, welcome: BoxWelcome | null, { act }: Drawing): void {
  if (welcome === null) {
    container.hidden = true;
    container.replaceChildren();
    return;
  }
  const { text, actions, offer, examples } = welcome;
  const line = (label: string, buttons: readonly BoxAction[]) =>
    element("p", {}, label, " ", ...buttons.map((action) => actionButton(action, act)));
  container.replaceChildren(
    // Above the examples, the Results view shows the text.
    ...(text === "" || examples.length > 0 ? [] : [line(text, actions)]),
    ...(offer === undefined ? [] : [element("p", {}, offer.text, ...links(offer.actions, act))]),
  );
  container.hidden = container.childElementCount === 0;
}
