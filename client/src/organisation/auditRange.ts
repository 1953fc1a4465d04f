/** Which time the audit log is looked at: so far back, or between two times that the person writes. */
import * as vscode from "vscode";
import type { TableField } from "#webview/tableMessages";
import type { Span } from "./auditRecords";
import { fieldOf, timeOf } from "./auditText";

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
  /** One of `lengthsMs`; `all`: as far as records are kept; or `between`. */
  #kind = "all";
  #between = { since: "", until: "" };

  /** Whether it goes on while time does. */
  get isOpen(): boolean {
    return this.span().until === undefined;
  }

  /** Why nothing can be in it. */
  get problem(): string | undefined {
    const { since, until } = this.span();
    const isWrong = since !== undefined && until !== undefined && since > until;
    return isWrong ? vscode.l10n.t("The first time is later than the second one.") : undefined;
  }

  /** As it is at this moment. */
  span(): Span {
    const lengthMs = lengthsMs[this.#kind];
    if (lengthMs !== undefined) return { since: Date.now() - lengthMs };
    if (this.#kind !== "between") return {};
    const since = timeOf(this.#between.since);
    const until = timeOf(this.#between.until);
    return {
      ...(since === undefined ? {} : { since }),
      // A minute counts to its end.
      ...(until === undefined ? {} : { until: until + minuteMs - 1 }),
    };
  }

  /** Takes what was chosen in one of `fields`. */
  set(name: string, value: string): void {
    if (name === "since" || name === "until") this.#between = { ...this.#between, [name]: value };
    if (name !== "range") return;
    this.#kind = value;
    const isFirst = this.#between.since === "" && this.#between.until === "";
    if (value !== "between" || !isFirst) return;
    this.#between = { since: fieldOf(Date.now() - dayMs), until: fieldOf(Date.now()) };
  }

  fields(): TableField[] {
    const { l10n } = vscode;
    const choices = [
      { value: "hour", text: l10n.t("The last hour") },
      { value: "day", text: l10n.t("The last day") },
      { value: "week", text: l10n.t("The last 7 days") },
      { value: "month", text: l10n.t("The last 30 days") },
      { value: "all", text: l10n.t("All records") },
      { value: "between", text: l10n.t("Between two times") },
    ];
    const range: TableField = {
      kind: "choice",
      name: "range",
      label: l10n.t("Time"),
      value: this.#kind,
      choices,
    };
    if (this.#kind !== "between") return [range];
    const { since, until } = this.#between;
    return [
      range,
      { kind: "time", name: "since", label: l10n.t("From"), value: since },
      { kind: "time", name: "until", label: l10n.t("Until"), value: until },
    ];
  }
}
