/** The script of the search box: keys and buttons to messages, messages to what is seen. */

import { Announcer } from "./announcer";
import { boxKeys } from "./keys";
import type { BoxAction, BoxParts, BoxState, FromBox, ToBox } from "./messages";
import { addNarrowing } from "./narrowing";
import { type Drawing, drawChips, drawFacets, drawProblems, drawStatus, drawWelcome } from "./parts";
import { Proposals } from "./proposals";
import { QueryField } from "./queryField";
import { byId } from "./tags";

/** What the window keeps while the view is hidden or reloaded. */
interface Kept {
  readonly state: BoxState;
  readonly parts: Partial<BoxParts>;
  readonly isFacetsOpen: boolean;
}

const host = acquireVsCodeApi();
const post = (message: FromBox) => host.postMessage(message);
const kept = host.getState() as Kept | undefined;

let parts: Partial<BoxParts> = kept?.parts ?? {};
let state: BoxState = kept?.state ?? {
  query: "",
  caseSensitivity: "smart",
  isWholeWord: false,
  isRegex: false,
  narrowed: [],
};

/** Whether the host has said what is in the box, and whether something was written there before. */
let isGreeted = false;
let isAhead = false;

const field = new QueryField(byId<HTMLTextAreaElement>("query"), byId("mirror"), () => {
  change({ query: field.text }, { isDecided: false });
  proposals.ask({ isWanted: false });
});
const proposals = new Proposals({
  field,
  list: byId("proposals"),
  ask: (id, query, offset, isWanted) => post({ kind: "complete", id, query, offset, isWanted }),
  onAccept: () => {
    change({ query: field.text }, { isDecided: false });
    proposals.ask({ isWanted: false });
  },
});
const facets = byId<HTMLDetailsElement>("facets");
facets.open = kept?.isFacetsOpen === true;
facets.addEventListener("toggle", keep);
const announcer = new Announcer(byId("announcement"), byId("alert"));

const drawing: Drawing = {
  act: (action, read) => act(action, read),
  filter: (prefix, value, isNegated) => post({ kind: "filter", prefix, value, isNegated }),
};

function change(changes: Partial<BoxState>, { isDecided }: { readonly isDecided: boolean }): void {
  state = { ...state, ...changes };
  isAhead ||= !isGreeted;
  keep();
  drawState();
  post({ kind: "changed", state, isDecided });
}

/** A change of a text that is not there any more is of no use. */
function act(action: BoxAction, read?: string): void {
  if ("command" in action) post({ kind: "command", id: action.command });
  else if (action.change.query === undefined || read === undefined || read === field.text) {
    change(action.change, { isDecided: true });
  }
}

function keep(): void {
  const next: Kept = { state, parts, isFacetsOpen: facets.open };
  host.setState(next);
}

const toggles = {
  case: byId<HTMLButtonElement>("case"),
  word: byId<HTMLButtonElement>("word"),
  regex: byId<HTMLButtonElement>("regex"),
};
const afterCase = { smart: "sensitive", sensitive: "insensitive", insensitive: "smart" } as const;
const toggle = {
  case: () => change({ caseSensitivity: afterCase[state.caseSensitivity] }, { isDecided: true }),
  word: () => change({ isWholeWord: !state.isWholeWord }, { isDecided: true }),
  regex: () => change({ isRegex: !state.isRegex }, { isDecided: true }),
};

function drawState(): void {
  if (field.text !== state.query) field.replace(state.query);
  const pressed = { smart: "mixed", sensitive: "true", insensitive: "false" } as const;
  toggles.case.setAttribute("aria-pressed", pressed[state.caseSensitivity]);
  toggles.case.title = toggles.case.dataset[state.caseSensitivity] ?? "";
  toggles.case.setAttribute("aria-label", toggles.case.title);
  toggles.word.setAttribute("aria-pressed", String(state.isWholeWord));
  toggles.regex.setAttribute("aria-pressed", String(state.isRegex));
}

function draw(changed: Partial<BoxParts>): void {
  const { reading, pickers, status, welcome } = changed;
  if (reading !== undefined) {
    field.mark(reading.query, reading.problems);
    drawChips(byId("chips"), reading, drawing);
    drawProblems(byId("problems"), reading, drawing);
    const hasError = reading.problems.some(({ severity }) => severity === "error");
    field.input.setAttribute("aria-invalid", String(hasError));
  }
  if (pickers !== undefined) {
    byId("scope-label").textContent = pickers.scope;
    byId("revision-label").textContent = pickers.revision;
    byId("type-label").textContent = pickers.type;
  }
  if (changed.facets !== undefined) {
    drawFacets(byId("facet-groups"), changed.facets, drawing);
    facets.hidden = changed.facets.every(({ items }) => items.length === 0);
  }
  if (status !== undefined) drawStatus(byId("status"), status, drawing);
  if (welcome !== undefined) drawWelcome(byId("welcome"), welcome, drawing);
}

window.addEventListener("message", ({ data }: MessageEvent<ToBox>) => {
  switch (data.kind) {
    case "state": {
      const isLate = isAhead;
      isGreeted = true;
      isAhead = false;
      // Whoever writes while the extension still starts keeps the text; the host has heard of it, too.
      if (isLate) break;
      state = data.state;
      proposals.close();
      keep();
      drawState();
      break;
    }
    case "show": {
      const changed = changesIn(data.parts);
      parts = { ...parts, ...changed };
      keep();
      draw(changed);
      announcer.tell(changed);
      break;
    }
    case "completions":
      proposals.show(data.id, data.completions);
      break;
    case "focus":
      field.input.focus();
      break;
  }
});

/** What is drawn anew loses the focus: what is as it was stays. */
function changesIn(told: Partial<BoxParts>): Partial<BoxParts> {
  const names = Object.keys(told) as (keyof BoxParts)[];
  const changed = names.filter((name) => JSON.stringify(told[name]) !== JSON.stringify(parts[name]));
  return Object.fromEntries(changed.map((name) => [name, told[name]]));
}

for (const [name, button] of Object.entries(toggles)) {
  button.addEventListener("click", toggle[name as keyof typeof toggle]);
}
for (const what of ["scope", "revision", "type"] as const) {
  byId(what).addEventListener("click", () => post({ kind: "pick", what }));
}
addNarrowing((text) => change({ narrowed: [...state.narrowed, text] }, { isDecided: true }));
field.input.addEventListener("blur", () => proposals.close());
boxKeys({
  field,
  proposals,
  toggle,
  post,
  run: () => change({ query: field.text }, { isDecided: true }),
});
// VS Code focuses the view as a whole; then the box is meant.
window.addEventListener("focus", focusBox);
// The keyboard may have come here before this script.
if (document.hasFocus()) focusBox();

function focusBox(): void {
  if (document.activeElement === null || document.activeElement === document.body) field.input.focus();
}

// What somebody wrote before this script was there; Enter went into the text.
const early = field.text;
draw(parts);
post(kept === undefined ? { kind: "ready" } : { kind: "ready", kept: kept.state });
if (early === "") drawState();
else change({ query: early.replaceAll(/\s*\n/g, "") }, { isDecided: early.includes("\n") });
