/** Screen reader announcements: errors at once, counts when a search has finished, nothing while it runs. */
import type { BoxParts } from "./messages";
import { spokenStatus } from "./parts";

const debounceMs = 500;

export class Announcer {
  readonly #polite: HTMLElement;
  readonly #alert: HTMLElement;
  #timer: number | undefined;

  constructor(polite: HTMLElement, alert: HTMLElement) {
    this.#polite = polite;
    this.#alert = alert;
  }

  announce({ interpretation, status }: Partial<BoxParts>): void {
    const errors = [
      ...(interpretation?.problems ?? [])
        .filter(({ severity }) => severity === "error")
        .map(({ message }) => message),
      ...(status?.notes ?? []).filter(({ severity }) => severity === "error").map(({ text }) => text),
    ];
    // Unchanged errors are not repeated.
    const alert = errors.join(". ");
    if ((interpretation !== undefined || errors.length > 0) && this.#alert.textContent !== alert) {
      this.#alert.textContent = alert;
    }
    if (status === undefined) return;
    clearTimeout(this.#timer);
    if (status.isRunning) return;
    this.#timer = window.setTimeout(() => {
      const text = spokenStatus(status);
      if (this.#polite.textContent !== text) this.#polite.textContent = text;
    }, debounceMs);
  }
}
