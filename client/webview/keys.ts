/** The key bindings of the search box while it has the focus. Handled keys do not reach VS Code. */

import type { CompletionList } from "./completionList";
import type { FromBox } from "./messages";
import type { QueryField } from "./queryField";
import { byId } from "./tags";

export interface Box {
  readonly field: QueryField;
  readonly completions: CompletionList;
  readonly toggle: Readonly<Record<"case" | "word" | "regex" | "words", () => void>>;
  readonly post: (message: FromBox) => void;
  readonly run: () => void;
}

const isMac = navigator.platform.startsWith("Mac");

export function boxKeys(box: Box): void {
  const { input } = box.field;
  input.addEventListener("keydown", (event) => {
    if (!event.isComposing && (box.completions.handle(event) || handle(box, event))) consume(event);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "F6" && moveBetweenParts(event.shiftKey, box.post)) consume(event);
    else if (event.key === "F1" && event.altKey) {
      box.post({ kind: "command", id: "help.syntax" });
      consume(event);
    } else if (hasPrimaryModifier(event) && !event.altKey && event.key === "ArrowDown") {
      box.post({ kind: "leave" });
      consume(event);
    } else if (event.key === "Escape" && event.target !== input) {
      input.focus();
      consume(event);
    }
  });
}

function consume(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

function handle(box: Box, event: KeyboardEvent): boolean {
  if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
    box.completions.close();
    box.run();
    return true;
  }
  if (event.key === "Escape") {
    box.post({ kind: "escape" });
    return true;
  }
  if (event.key === " " && event.ctrlKey) {
    box.completions.request({ isExplicit: true });
    return true;
  }
  if (event.key === "?" && box.field.text === "") {
    box.post({ kind: "command", id: "help.syntax" });
    return true;
  }
  if (event.key === "ArrowUp" || event.key === "ArrowDown") return moveInHistory(box, event);
  return chord(box, event);
}

function moveInHistory(box: Box, event: KeyboardEvent): boolean {
  if (event.shiftKey || event.altKey || hasPrimaryModifier(event)) return false;
  const isUp = event.key === "ArrowUp";
  if (!box.field.isAtEdge(isUp ? "first" : "last")) return false;
  box.post({ kind: "history", direction: isUp ? "older" : "newer" });
  return true;
}

/** The key bindings of VS Code's own search, by key position: with Alt, some layouts type another letter. */
function chord(box: Box, event: KeyboardEvent): boolean {
  if (event.code === "KeyH" && event.ctrlKey && event.altKey) {
    box.post({ kind: "command", id: "search.history" });
    return true;
  }
  if (!event.altKey || event.ctrlKey || event.shiftKey || event.metaKey !== isMac) return false;
  const toggles: Readonly<Record<string, () => void>> = {
    KeyC: box.toggle.case,
    KeyW: box.toggle.word,
    KeyR: box.toggle.regex,
    KeyD: box.toggle.words,
  };
  const toggle = toggles[event.code];
  toggle?.();
  return toggle !== undefined;
}

function hasPrimaryModifier(event: KeyboardEvent): boolean {
  return isMac ? event.metaKey : event.ctrlKey;
}

/** F6 moves through the parts of the view and on to the results. Shift+F6 in the box is left to VS Code. */
function moveBetweenParts(isBackwards: boolean, post: Box["post"]): boolean {
  const parts = ["box", "chips", "pickers", "files-row", "status"]
    .map((id) => byId(id))
    .filter((part) => !part.hidden && firstControl(part) !== null);
  const current = parts.findIndex((part) => part.contains(document.activeElement));
  const next = current + (isBackwards ? -1 : 1);
  if (next < 0) return false;
  const part = parts[next];
  if (part === undefined) post({ kind: "leave" });
  else firstControl(part)?.focus();
  return true;
}

function firstControl(part: HTMLElement): HTMLElement | null {
  const controls = part.querySelectorAll<HTMLElement>("textarea:enabled, input:enabled, button:enabled");
  return [...controls].find((control) => control.checkVisibility()) ?? null;
}
