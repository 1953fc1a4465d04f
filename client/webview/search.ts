/** The script of the search box: sends keys and buttons as messages, and draws what the host sends. */

import { Announcer } from "./announcer";
import { CompletionList } from "./completionList";
import { addFileLists, drawFileLists } from "./fileLists";
import { boxKeys } from "./keys";
import type { BoxAction, BoxParts, BoxState, FromBox, ToBox } from "./messages";
import { addNarrowing } from "./narrowing";
import { type Drawing, drawChips, drawProblems, drawStatus, drawWelcome } from "./parts";
import { QueryField } from "./queryField";
import { byId } from "./tags";

/** State that VS Code keeps while the view is hidden or reloaded. */
interface SavedState {
  readonly state: BoxState;
  readonly parts: Partial<BoxParts>;
  readonly hasDetails: boolean;
}

const host = acquireVsCodeApi();
const post = (message: FromBox) => host.postMessage(message);
const saved = host.getState() as SavedState | undefined;

let parts: Partial<BoxParts> = saved?.parts ?? {};
let state: BoxState = saved?.state ?? {
  query: "",
  caseSensitivity: "smart",
  isWholeWord: false,
  isRegex: false,
  narrowed: [],
};

/** Whether the host has sent the state of the box, and whether the user changed it before that. */
let hasHostState = false;
let hasEarlyInput = false;

const field = new QueryField(byId<HTMLTextAreaElement>("query"), byId("mirror"), () => {
  change({ query: field.text }, { isSubmitted: false });
  completions.request({ isExplicit: false });
});
field.input.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!/[\r\n]/.test(text)) return;
  event.preventDefault();
  paste(text);
});
const completions = new CompletionList({
  field,
  list: byId("proposals"),
  send: (id, query, offset, isExplicit) => post({ kind: "complete", id, query, offset, isExplicit }),
  onAccept: () => {
    change({ query: field.text }, { isSubmitted: false });
    completions.request({ isExplicit: false });
  },
});
const announcer = new Announcer(byId("announcement"), byId("alert"));

const drawing: Drawing = {
  act: (action, forQuery) => act(action, forQuery),
};

/** Has the host insert text with several lines at the selection. */
function paste(text: string): void {
  const { selectionStart: offset, selectionEnd } = field.input;
  post({ kind: "paste", query: field.text, offset, length: selectionEnd - offset, text });
}

function change(changes: Partial<BoxState>, { isSubmitted }: { readonly isSubmitted: boolean }): void {
  state = { ...state, ...changes };
  hasEarlyInput ||= !hasHostState;
  saveState();
  drawState();
  post({ kind: "changed", state, isSubmitted });
}

/** Runs an action. A change that was made for another query, `forQuery`, is dropped. */
function act(action: BoxAction, forQuery?: string): void {
  if ("command" in action) post({ kind: "command", id: action.command });
  else if (action.change.query === undefined || forQuery === undefined || forQuery === field.text) {
    change(action.change, { isSubmitted: true });
  }
}

function saveState(): void {
  const next: SavedState = { state, parts, hasDetails: !byId("files-row").hidden };
  host.setState(next);
}

const toggles = {
  case: byId<HTMLButtonElement>("case"),
  word: byId<HTMLButtonElement>("word"),
  regex: byId<HTMLButtonElement>("regex"),
  words: byId<HTMLButtonElement>("words"),
};
const toggle = {
  case: () => {
    const { caseOff = "smart" } = parts.pickers ?? {};
    const caseSensitivity = state.caseSensitivity === "sensitive" ? caseOff : "sensitive";
    change({ caseSensitivity }, { isSubmitted: true });
  },
  word: () => change({ isWholeWord: !state.isWholeWord }, { isSubmitted: true }),
  regex: () => change({ isRegex: !state.isRegex }, { isSubmitted: true }),
  words: () => post({ kind: "describe" }),
};

function drawState(): void {
  if (field.text !== state.query) field.replace(state.query);
  toggles.case.setAttribute("aria-pressed", String(state.caseSensitivity === "sensitive"));
  toggles.word.setAttribute("aria-pressed", String(state.isWholeWord));
  toggles.regex.setAttribute("aria-pressed", String(state.isRegex));
}

function draw(changed: Partial<BoxParts>): void {
  const { interpretation, pickers, files, status, welcome } = changed;
  if (interpretation !== undefined) {
    field.mark(interpretation.query, interpretation.problems);
    toggles.words.setAttribute("aria-pressed", String(interpretation.isDescribed));
    drawChips(byId("chips"), interpretation, drawing);
    drawProblems(byId("problems"), interpretation, drawing);
    const hasError = interpretation.problems.some(({ severity }) => severity === "error");
    field.input.setAttribute("aria-invalid", String(hasError));
  }
  if (pickers !== undefined) {
    byId("scope-label").textContent = pickers.scope;
    byId("revision-label").textContent = pickers.revision;
    byId("type-label").textContent = pickers.type;
  }
  if (files !== undefined) drawFileLists(files);
  if (status !== undefined) drawStatus(byId("status"), status, drawing);
  if (welcome !== undefined) drawWelcome(byId("welcome"), welcome, drawing);
}

window.addEventListener("message", ({ data }: MessageEvent<ToBox>) => {
  switch (data.kind) {
    case "state": {
      const hadEarlyInput = hasEarlyInput;
      hasHostState = true;
      hasEarlyInput = false;
      // Keeps text that was typed while the extension was starting; the host was notified of it.
      if (hadEarlyInput) break;
      state = data.state;
      completions.close();
      saveState();
      drawState();
      break;
    }
    case "show": {
      const changed = changesIn(data.parts);
      parts = { ...parts, ...changed };
      saveState();
      draw(changed);
      announcer.announce(changed);
      break;
    }
    case "completions":
      completions.show(data.id, data.completions);
      break;
    case "insert":
      if (data.query === field.text) {
        field.replaceRange(data.offset, data.length, data.text);
        change({ query: field.text }, { isSubmitted: false });
      } else paste(data.pasted);
      break;
    case "focus":
      field.input.focus();
      break;
  }
});

/** Returns the changed parts. Redrawing others would lose the focus in them. */
function changesIn(received: Partial<BoxParts>): Partial<BoxParts> {
  const names = Object.keys(received) as (keyof BoxParts)[];
  const changed = names.filter((name) => JSON.stringify(received[name]) !== JSON.stringify(parts[name]));
  return Object.fromEntries(changed.map((name) => [name, received[name]]));
}

for (const [name, button] of Object.entries(toggles)) {
  button.addEventListener("click", toggle[name as keyof typeof toggle]);
}
for (const what of ["scope", "revision", "type"] as const) {
  byId(what).addEventListener("click", () => post({ kind: "pick", what }));
}
addNarrowing((text) => change({ narrowed: [...state.narrowed, text] }, { isSubmitted: true }));
byId("files-row").hidden = saved?.hasDetails !== true;
addFileLists(post, saveState);
field.input.addEventListener("blur", () => completions.close());
boxKeys({
  field,
  completions,
  toggle,
  post,
  run: () => change({ query: field.text }, { isSubmitted: true }),
});
// VS Code focuses the view as a whole; this passes the focus to the box.
window.addEventListener("focus", focusBox);
// The view may have been focused before this script ran.
if (document.hasFocus()) focusBox();

function focusBox(): void {
  if (document.activeElement === null || document.activeElement === document.body) field.input.focus();
}

const context = document.createElement("canvas").getContext("2d");
window.addEventListener("resize", postColumns);
postColumns();

/** Posts the width of the view in characters. Narrow and wide letters are averaged. */
function postColumns(): void {
  if (context === null || window.innerWidth === 0) return;
  const { fontSize, fontFamily } = getComputedStyle(document.body);
  context.font = `${fontSize} ${fontFamily}`;
  const letters = "etaoin shrdlu cmfwyp vbgkjq xz(){}.";
  const width = context.measureText(letters).width / letters.length;
  post({ kind: "resized", columns: Math.floor(window.innerWidth / width) });
}

// Text typed before this script ran; Enter inserted line breaks.
const earlyText = field.text;
draw(parts);
post(saved === undefined ? { kind: "ready" } : { kind: "ready", saved: saved.state });
if (earlyText === "") drawState();
else change({ query: earlyText.replaceAll(/\s*\n/g, "") }, { isSubmitted: earlyText.includes("\n") });
