/** The box that narrows a search: its text is one more condition on the same file. */
import { byId } from "./tags";

/** Calls `add` with each condition. The box closes after each one. */
export function addNarrowing(add: (text: string) => void): void {
  const open = byId<HTMLButtonElement>("narrow");
  const input = byId<HTMLInputElement>("narrow-query");
  const row = byId("narrow-row");
  const show = (isOpen: boolean) => {
    row.hidden = !isOpen;
    open.setAttribute("aria-expanded", String(isOpen));
  };
  const close = () => {
    input.value = "";
    show(false);
    open.focus();
  };
  open.addEventListener("click", () => {
    if (!row.hidden) return close();
    show(true);
    input.focus();
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    const text = input.value.trim();
    if (event.key === "Enter" && text === "") return;
    close();
    if (event.key === "Enter") add(text);
  });
}
