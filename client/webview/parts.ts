/** What stands around the text: chips, problems, status, facets, and the first words of an empty box. */
import type {
  BoxAction,
  BoxChip,
  BoxFacets,
  BoxNote,
  BoxProblem,
  BoxReading,
  BoxStatus,
  BoxWelcome,
} from "./messages";
import { button, element, type Icon, icon } from "./tags";

export interface Drawing {
  /** `read`: the query that the change was made for, where it changes that. */
  readonly act: (action: BoxAction, read?: string) => void;
  readonly filter: (prefix: string, value: string, isNegated: boolean) => void;
}

export function drawChips(place: HTMLElement, { query, chips }: BoxReading, { act }: Drawing): void {
  const focused = [...place.children].findIndex((chip) => chip.contains(document.activeElement));
  place.replaceChildren(...chips.map((chip) => drawChip(chip, query, act)));
  place.hidden = chips.length === 0;
  // Whoever removes chips one after the other stays among them.
  if (focused >= 0) place.children[Math.min(focused, chips.length - 1)]?.querySelector("button")?.focus();
}

function drawChip(
  { text, title, isNegated, remove }: BoxChip,
  read: string,
  act: Drawing["act"],
): HTMLElement {
  const away = button(
    {
      class: "chip-remove",
      attributes: { "aria-label": remove.title, title: remove.title },
      onClick: () => act(remove, read),
    },
    icon("close"),
  );
  away.addEventListener("keydown", ({ key }) => {
    if (key === "Delete" || key === "Backspace") act(remove, read);
  });
  const attributes = { role: "listitem", ...(title === "" ? {} : { title }) };
  const said = element("span", { class: "chip-text" }, text);
  if (title !== "") said.append(element("span", { class: "unseen" }, ` (${title})`));
  return element("span", { class: `chip${isNegated ? " chip-negated" : ""}`, attributes }, said, away);
}

export function drawProblems(place: HTMLElement, { query, problems }: BoxReading, { act }: Drawing): void {
  place.replaceChildren(...problems.map((problem) => drawProblem(problem, query, act)));
  place.hidden = problems.length === 0;
}

function drawProblem(
  { severity, message, fixes }: BoxProblem,
  read: string,
  act: Drawing["act"],
): HTMLElement {
  return element(
    "div",
    { class: `note note-${severity}` },
    icon(severity),
    element("span", {}, message, ...links(fixes, (action) => act(action, read))),
  );
}

export function drawStatus(place: HTMLElement, status: BoxStatus, { act }: Drawing): void {
  const { summary, suggestions, notes } = status;
  const line = element("div", { class: "summary" }, ...wholeCounts(summary));
  if (suggestions !== undefined && suggestions.actions.length > 0) {
    line.append(" ", suggestions.title, ...links(suggestions.actions, act));
  }
  place.replaceChildren(
    ...(line.textContent === "" ? [] : [line]),
    ...notes.map((note) => drawNote(note, act)),
  );
}

/** A line breaks between counts, not within one. */
function wholeCounts(summary: string): (Node | string)[] {
  const counts = summary.split(" · ");
  if (counts.length === 1) return [summary];
  return counts.flatMap((count, at) =>
    at === counts.length - 1
      ? [element("span", { class: "whole" }, count)]
      : [element("span", { class: "whole" }, `${count} ·`), " "],
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
    element("span", {}, text, ...links(actions, act)),
  );
}

/** Buttons that look like links, with dots between them. */
function links(actions: readonly BoxAction[], act: (action: BoxAction) => void): Node[] {
  return actions.flatMap((action, at) => [
    element("span", { class: "dot", attributes: { "aria-hidden": "true" } }, at === 0 ? " " : " · "),
    button({ class: "link", onClick: () => act(action) }, action.title),
  ]);
}

/** As one says it: for whoever does not see the lines. */
export function spoken({ summary, suggestions, notes }: BoxStatus): string {
  const tries = (suggestions?.actions ?? []).map(({ title }) => title).join(", ");
  return [
    summary.replaceAll(" · ", ", "),
    suggestions === undefined || tries === "" ? "" : `${suggestions.title} ${tries}`,
    ...notes.map(({ text }) => text),
  ]
    .filter((part) => part !== "")
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`))
    .join(" ");
}

export function drawFacets(place: HTMLElement, groups: readonly BoxFacets[], { filter }: Drawing): void {
  const shown = groups.filter(({ items }) => items.length > 0);
  place.replaceChildren(
    ...shown.map(({ title, items }) =>
      element(
        "div",
        { class: "facets", attributes: { role: "group", "aria-label": title } },
        element("div", { class: "facets-title", attributes: { "aria-hidden": "true" } }, title),
        ...items.map((item) =>
          button(
            {
              class: "facet",
              attributes: { title: item.title },
              onClick: ({ altKey }) => filter(item.prefix, item.value, altKey),
            },
            element("span", { class: "facet-text" }, item.text),
            element("span", { class: "facet-count" }, item.count.toLocaleString()),
          ),
        ),
      ),
    ),
  );
}

export function drawWelcome(place: HTMLElement, welcome: BoxWelcome | null, { act }: Drawing): void {
  place.hidden = welcome === null;
  if (welcome === null) {
    place.replaceChildren();
    return;
  }
  const { text, actions, more, examples } = welcome;
  const line = (words: string, ways: readonly BoxAction[]) =>
    element(
      "p",
      {},
      words,
      " ",
      ...ways.map((way) => button({ class: "action", onClick: () => act(way) }, way.title)),
    );
  place.replaceChildren(
    ...(text === "" ? [] : [line(text, actions)]),
    ...(more === undefined ? [] : [line(more.text, more.actions)]),
    ...(examples.length === 0 ? [] : [drawExamples(examples, act)]),
  );
}

function drawExamples(examples: BoxWelcome["examples"], act: Drawing["act"]): HTMLElement {
  return element(
    "ul",
    { class: "examples" },
    ...examples.map(({ query, detail }) =>
      element(
        "li",
        {},
        button({ class: "link example", onClick: () => act({ title: query, change: { query } }) }, query),
        element("span", { class: "example-detail" }, ` ${detail}`),
      ),
    ),
  );
}
