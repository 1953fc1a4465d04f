/** The time range of the audit log: a preset such as the last day, or a custom one. */
import * as vscode from "vscode";
import type { TableField } from "#webview/tableMessages";
import type { TimeRange } from "./auditRecords";
import { formatLocalTime, parseLocalTime } from "./auditText";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const lengthsMs: Readonly<Record<string, number>> = {
  hour: hourMs,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
};

export class AuditRange {
  /** A key of `lengthsMs`, `all`, or `custom`. */
  #kind = "all";
  #custom = { since: "", until: "" };

  /** Whether the range has no end, so that new records are in it. */
  get isOpen(): boolean {
    return this.current().until === undefined;
  }

  /** Why the range is invalid. */
  get problem(): string | undefined {
    const { since, until } = this.current();
    const isReversed = since !== undefined && until !== undefined && since > until;
    return isReversed ? vscode.l10n.t("The start is after the end. Choose an earlier start.") : undefined;
  }

  /** Returns the range as of now. */
  current(): TimeRange {
    const lengthMs = lengthsMs[this.#kind];
    if (lengthMs !== undefined) return { since: Date.now() - lengthMs };
    if (this.#kind !== "custom") return {};
    const since = parseLocalTime(this.#custom.since);
    const until = parseLocalTime(this.#custom.until);
    return {
      ...(since === undefined ? {} : { since }),
      // The last minute is included.
      ...(until === undefined ? {} : { until: until + minuteMs - 1 }),
    };
  }

  /** Sets the value of one of `fields`. */
  set(name: string, value: string): void {
    if (name === "since" || name === "until") this.#custom = { ...this.#custom, [name]: value };
    if (name !== "range") return;
    this.#kind = value;
    const isFirst = this.#custom.since === "" && this.#custom.until === "";
    if (value !== "custom" || !isFirst) return;
    this.#custom = { since: formatLocalTime(Date.now() - dayMs), until: formatLocalTime(Date.now()) };
  }

  fields(): TableField[] {
    const { l10n } = vscode;
    const choices = [
      { value: "hour", text: l10n.t("The last hour") },
      { value: "day", text: l10n.t("The last day") },
      { value: "week", text: l10n.t("The last 7 days") },
      { value: "month", text: l10n.t("The last 30 days") },
      { value: "all", text: l10n.t("All records") },
      { value: "custom", text: l10n.t("Custom range") },
    ];
    const range: TableField = {
      kind: "choice",
      name: "range",
      label: l10n.t("Time"),
      value: this.#kind,
      choices,
    };
    if (this.#kind !== "custom") return [range];
    const { since, until } = this.#custom;
    return [
      range,
      { kind: "time", name: "since", label: l10n.t("From"), value: since },
      { kind: "time", name: "until", label: l10n.t("Until"), value: until },
    ];
  }
}
