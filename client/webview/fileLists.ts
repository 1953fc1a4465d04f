/** The inputs for files to include and to exclude, which write `file:` filters into the query. */
import type { BoxFiles, FromBox } from "./messages";
import { byId } from "./tags";

const lists = ["include", "exclude"] as const;

/** `onToggle` is called when the inputs are shown or hidden. */
export function addFileLists(post: (message: FromBox) => void, onToggle: () => void): void {
  const open = byId<HTMLButtonElement>("details");
  const row = byId("files-row");
  open.setAttribute("aria-expanded", String(!row.hidden));
  open.addEventListener("click", () => {
    row.hidden = !row.hidden;
    open.setAttribute("aria-expanded", String(!row.hidden));
    if (!row.hidden) byId("include").focus();
    onToggle();
  });
  for (const list of lists) {
    const input = byId<HTMLInputElement>(list);
    // Fires on Enter, and when the focus leaves a changed input.
    input.addEventListener("change", () => post({ kind: "files", list, text: input.value }));
  }
  byId("open-editors").addEventListener("click", () => post({ kind: "openEditors" }));
}

/** Shows the lists of the query. An input that the user is editing keeps its text. */
export function drawFileLists({ isOnlyOpenEditors, ...files }: BoxFiles): void {
  for (const list of lists) {
    const input = byId<HTMLInputElement>(list);
    const text = files[list];
    input.disabled = text === null;
    input.title = text === null ? (input.dataset["unlistable"] ?? "") : input.placeholder;
    if (document.activeElement !== input || input.dataset["written"] !== text) input.value = text ?? "";
    input.dataset["written"] = text ?? "";
  }
  byId("open-editors").setAttribute("aria-pressed", String(isOnlyOpenEditors));
}
