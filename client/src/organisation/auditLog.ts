/** The editor "Audit Log": what was done, newest first, a page at a time. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import type { Commands } from "#client/commands";
import type { ServiceClient } from "#client/serviceClient";
import type { AuditRecord } from "#contract/organisation";
import { isFound, toCsv } from "./auditText";
import { type TableContent, TablePanel } from "./tablePanel";

const perPage = 100;
const followMs = 10_000;
const hourMs = 60 * 60 * 1000;

export class AuditLog implements vscode.Disposable {
  readonly #service: ServiceClient;
  readonly #panel: TablePanel;
  #pages = 1;
  #filter = "";
  /** How far back; absent: as far as records are kept. */
  #lengthMs: number | undefined;
  #following: NodeJS.Timeout | undefined;

  constructor(service: ServiceClient, extensionUri: vscode.Uri) {
    this.#service = service;
    this.#panel = new TablePanel({
      extensionUri,
      viewType: "trawl.audit",
      title: () => vscode.l10n.t("Audit Log"),
      commands: [
        "org.audit",
        "org.auditMore",
        "org.auditFilter",
        "org.auditTime",
        "org.auditFollow",
        "org.exportAudit",
      ],
      content: () => this.#content(),
    });
  }

  readonly commands: Commands = {
    "org.audit": () => this.#panel.show(),
    "org.auditMore": async () => {
      this.#pages++;
      await this.#panel.renew();
    },
    "org.auditFilter": () => this.#askFilter(),
    "org.auditTime": () => this.#askTime(),
    "org.auditFollow": () => this.#follow(this.#following === undefined),
    "org.exportAudit": () => this.#export(),
  };

  async #content(): Promise<TableContent> {
    const { l10n } = vscode;
    const isFollowing = this.#following !== undefined;
    const actions = [
      { text: l10n.t("Refresh"), command: "org.audit" },
      { text: l10n.t("Time..."), command: "org.auditTime" },
      { text: l10n.t("Filter..."), command: "org.auditFilter" },
      { text: isFollowing ? l10n.t("Stop Following") : l10n.t("Follow"), command: "org.auditFollow" },
      { text: l10n.t("Export..."), command: "org.exportAudit" },
    ];
    const foot = l10n.t("To look at this log is recorded in it as audit.fetch.");
    try {
      const { records, total } = await this.#load(this.#pages);
      const shown = records.filter((record) => isFound(record, this.#filter));
      const more = { text: l10n.t("Load Older Records"), command: "org.auditMore" };
      return {
        actions: records.length < total ? [...actions, more] : actions,
        notes: [
          l10n.t("{0} of {1} records are loaded.", records.length, total),
          ...(this.#filter === ""
            ? []
            : [l10n.t("{0} of the loaded records contain: {1}", shown.length, this.#filter)]),
        ],
        head: [
          l10n.t("Time"),
          l10n.t("Action"),
          l10n.t("Actor"),
          l10n.t("Target"),
          l10n.t("Details"),
          l10n.t("Version"),
        ],
        rows: shown.map(rowOf),
        foot,
      };
    } catch (error) {
      return { actions, notes: [callError(error).message], head: [], rows: [], foot };
    }
  }

  /** The newest `pages` pages. */
  async #load(
    pages: number,
    token?: vscode.CancellationToken,
    onPage?: (loaded: number, total: number) => void,
  ): Promise<{ readonly records: readonly AuditRecord[]; readonly total: number }> {
    // What comes meanwhile, our own questions among it, must not move the pages.
    const until = new Date().toISOString();
    const since =
      this.#lengthMs === undefined ? {} : { since: new Date(Date.now() - this.#lengthMs).toISOString() };
    const records: AuditRecord[] = [];
    let total = 0;
    for (let page = 1; page <= pages; page++) {
      const answer = await this.#service.call(
        "audit",
        { page, perPage, until, ...since },
        token === undefined ? {} : { token },
      );
      records.push(...answer.items);
      total = answer.total;
      onPage?.(records.length, total);
      if (records.length >= total || answer.items.length === 0) break;
    }
    return { records, total };
  }

  async #askFilter(): Promise<void> {
    const filter = await vscode.window.showInputBox({
      title: vscode.l10n.t("Filter Loaded Records"),
      prompt: vscode.l10n.t("Words in action, actor or target"),
      value: this.#filter,
    });
    if (filter === undefined) return;
    this.#filter = filter.trim();
    await this.#panel.renew();
  }

  async #askTime(): Promise<void> {
    const choices = [
      { label: vscode.l10n.t("The last hour"), lengthMs: hourMs },
      { label: vscode.l10n.t("The last day"), lengthMs: 24 * hourMs },
      { label: vscode.l10n.t("The last 7 days"), lengthMs: 7 * 24 * hourMs },
      { label: vscode.l10n.t("The last 30 days"), lengthMs: 30 * 24 * hourMs },
      { label: vscode.l10n.t("All records"), lengthMs: undefined },
    ];
    const chosen = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t("Audit Log") });
    if (chosen === undefined) return;
    this.#lengthMs = chosen.lengthMs;
    this.#pages = 1;
    await this.#panel.renew();
  }

  async #follow(isWanted: boolean): Promise<void> {
    clearInterval(this.#following);
    this.#following = isWanted ? setInterval(() => void this.#look(), followMs) : undefined;
    await this.#panel.renew();
  }

  async #look(): Promise<void> {
    if (this.#panel.isOpen) await this.#panel.renew();
    else await this.#follow(false);
  }

  async #export(): Promise<void> {
    const target = await vscode.window.showSaveDialog({
      title: vscode.l10n.t("Export Audit Log"),
      filters: { CSV: ["csv"], JSON: ["json"] },
    });
    if (target === undefined) return;
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t("Exporting the audit log"),
      cancellable: true,
    };
    await vscode.window.withProgress(options, async (progress, token) => {
      const { records } = await this.#load(Number.POSITIVE_INFINITY, token, (loaded, total) =>
        progress.report({ message: `${loaded} / ${total}` }),
      );
      const text = target.path.endsWith(".json") ? JSON.stringify(records, undefined, 2) : toCsv(records);
      await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
    });
  }

  dispose(): void {
    clearInterval(this.#following);
    this.#panel.dispose();
  }
}

function rowOf(record: AuditRecord): TableContent["rows"][number] {
  const { timestamp, action, actorType, actorId, targetType, targetId, metadata, serviceVersion } = record;
  return [
    new Date(timestamp).toLocaleString(),
    action,
    `${actorType} ${actorId}`,
    `${targetType} ${targetId}`,
    metadata === null
      ? ""
      : { summary: Object.keys(metadata).join(", "), details: JSON.stringify(metadata, undefined, 2) },
    serviceVersion,
  ];
}
