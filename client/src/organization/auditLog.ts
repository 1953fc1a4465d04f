/** The Audit Log editor: audit records, newest first, loaded in pages. */

import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { setContext } from "#client/workbench/commands";
import type { Handlers } from "#client/workbench/declarations";
import { count } from "#client/workbench/format";
import type { AuditRecord } from "#contract/organization";
import type { TableAction, TableContent, TableField, TableNote, TableRow } from "#webview/tableMessages";
import { exportAudit } from "./auditExport";
import { AuditNames } from "./auditNames";
import { AuditRange } from "./auditRange";
import { AuditRecords } from "./auditRecords";
import { matchesFilter } from "./auditText";
import type { auditLogCommands } from "./contributions";
import type { LicenseState } from "./license";
import { copyCall, enterLicenseAction, failureNote, loadingNote, retryAction } from "./licensedPage";
import { TablePanel } from "./tablePanel";

const pollIntervalMs = 10_000;
/** Following reloads the log once more records than this are loaded. */
const maxFollowed = 5_000;
/** Minimum interval between redraws of the progress, because each one compares all rows. */
const progressIntervalMs = 250;

export class AuditLog implements vscode.Disposable {
  readonly #service: ServiceClient;
  readonly #license: LicenseState;
  readonly #panel: TablePanel;
  readonly #names: AuditNames;
  #loaded: AuditRecords | undefined;
  #isBusy = false;
  /** Incremented by each load; a superseded load is discarded. */
  #generation = 0;
  #problem: TableNote | undefined;
  #filter = "";
  readonly #range = new AuditRange();
  #following: NodeJS.Timeout | undefined;
  #exporting: { readonly cancel: vscode.CancellationTokenSource; text: string } | undefined;

  constructor(service: ServiceClient, license: LicenseState, extensionUri: vscode.Uri) {
    this.#service = service;
    this.#license = license;
    this.#names = new AuditNames(service);
    this.#panel = new TablePanel({
      extensionUri,
      viewType: "trawl.audit",
      title: () => vscode.l10n.t("Audit Log"),
      content: () => this.#content(),
      actions: {
        [retryAction]: () => this.#reload(),
        [enterLicenseAction]: () => vscode.commands.executeCommand("trawl.org.license"),
        older: () => this.#loadMore((loaded) => loaded.loadOlder()),
        cancelExport: () => this.#exporting?.cancel.cancel(),
      },
      onFieldChange: (name, value) => this.#set(name, value),
      onError: (message) => this.#showNote({ severity: "error", text: message, actions: [] }),
      onClose: () => {
        this.#loaded = undefined;
        this.#exporting?.cancel.cancel();
        this.#follow(false);
      },
    });
  }

  readonly commands: Handlers<typeof auditLogCommands> = {
    "org.audit": async () => {
      this.#panel.show();
      await this.#reload();
    },
    "org.refreshAudit": () => this.#reload(),
    "org.followAudit": () => this.#follow(true),
    "org.unfollowAudit": () => this.#follow(false),
    "org.exportAudit": () => this.#export(),
    "org.copyAuditCall": () => {
      const { since, until } = this.#range.current();
      const isoTime = (time: number | undefined) =>
        time === undefined ? undefined : new Date(time).toISOString();
      return copyCall(this.#service, "/api/ee/audit", { since: isoTime(since), until: isoTime(until) });
    },
  };

  /** Reloads the log. The shown records stay until the new ones arrive. */
  async #reload(): Promise<void> {
    const { problem } = this.#range;
    if (problem === undefined) {
      const fresh = new AuditRecords(this.#service, this.#range.current(), Date.now());
      await this.#load(fresh, () => fresh.loadOlder());
      return;
    }
    this.#generation++;
    this.#isBusy = false;
    this.#loaded = undefined;
    this.#showNote({ severity: "error", text: problem, actions: [] });
  }

  /** Loads more records, unless a load is running: it would load the same ones. */
  async #loadMore(load: (loaded: AuditRecords) => Promise<void>): Promise<void> {
    const loaded = this.#loaded;
    if (loaded !== undefined && !this.#isBusy) await this.#load(loaded, () => load(loaded));
  }

  async #load(loaded: AuditRecords, load: () => Promise<void>): Promise<void> {
    const generation = ++this.#generation;
    this.#isBusy = true;
    this.#problem = undefined;
    this.#panel.draw();
    try {
      await load();
      await this.#names.resolve(loaded.records);
      if (generation === this.#generation) this.#loaded = loaded;
    } catch (error) {
      const note = await failureNote(error, this.#license);
      if (generation !== this.#generation) return;
      this.#problem = note;
      if (this.#loaded !== loaded) this.#loaded = undefined;
    } finally {
      if (generation === this.#generation) {
        this.#isBusy = false;
        this.#panel.draw();
      }
    }
  }

  #showNote(note: TableNote | undefined): void {
    this.#problem = note;
    this.#panel.draw();
  }

  async #set(name: string, value: string): Promise<void> {
    if (name === "filter") {
      this.#filter = value;
      this.#panel.draw();
      return;
    }
    this.#range.set(name, value);
    // A range that has ended gets no new records.
    if (!this.#range.isOpen) this.#follow(false);
    await this.#reload();
  }

  #follow(isFollowed: boolean): void {
    clearInterval(this.#following);
    this.#following = isFollowed ? setInterval(() => void this.#poll(), pollIntervalMs) : undefined;
    setContext("trawl.auditFollowed", isFollowed);
    this.#panel.draw();
    if (isFollowed) void this.#poll();
  }

  async #poll(): Promise<void> {
    // Each request is recorded in the log, so a hidden panel sends none.
    if (!this.#panel.isVisible) return;
    const isLong = (this.#loaded?.records.length ?? 0) > maxFollowed;
    if (isLong && !this.#isBusy) await this.#reload();
    else await this.#loadMore((loaded) => loaded.loadNewer());
  }

  #content(): TableContent {
    const { l10n } = vscode;
    const foot = l10n.t("Viewing this log adds records to it: audit.fetch and user.list.");
    const page = { isBusy: this.#isBusy, fields: this.#fields(), foot };
    const loaded = this.#loaded;
    const problems = this.#problem === undefined ? [] : [this.#problem];
    if (loaded === undefined) {
      const notes = this.#isBusy ? [loadingNote()] : problems;
      return { ...page, notes, columns: [], rows: [], more: [] };
    }
    const rows = loaded.records
      .map((record) => this.#rowOf(record))
      .filter(({ texts }) => matchesFilter(texts, this.#filter));
    const notes = [...problems, ...this.#exportNote(), ...this.#counts(loaded, rows.length)];
    const older: TableAction = { title: l10n.t("Load Older Records"), name: "older" };
    return {
      ...page,
      notes,
      columns:
        rows.length === 0
          ? []
          : [
              l10n.t("Time"),
              l10n.t("Action"),
              l10n.t("Actor"),
              l10n.t("Target"),
              l10n.t("Details"),
              l10n.t("Version"),
            ],
      rows: rows.map(({ row }) => row),
      more: loaded.hasOlder ? [older] : [],
    };
  }

  #fields(): TableField[] {
    const label = vscode.l10n.t("Filter loaded records by action, actor or target");
    return [...this.#range.fields(), { kind: "text", name: "filter", label, value: this.#filter }];
  }

  #counts({ records, total }: AuditRecords, shown: number): TableNote[] {
    const { l10n } = vscode;
    const text =
      total === 0
        ? l10n.t("No records in this time range.")
        : this.#filter.trim() === ""
          ? l10n.t("{0} of {1} records", count(records.length), count(total))
          : l10n.t(
              "{0} of {1} loaded records match the filter; {2} records in total",
              count(shown),
              count(records.length),
              count(total),
            );
    const follow = this.#following === undefined ? "" : ` · ${l10n.t("refreshed every 10 seconds")}`;
    return [{ severity: "plain", text: `${text}${follow}`, actions: [] }];
  }

  #rowOf(record: AuditRecord): { readonly row: TableRow; readonly texts: readonly string[] } {
    const { id, timestamp, action, metadata, serviceVersion } = record;
    const actor = this.#names.actorOf(record);
    const target = this.#names.targetOf(record);
    const details =
      metadata === null
        ? ""
        : { summary: Object.keys(metadata).join(", "), details: JSON.stringify(metadata, undefined, 2) };
    const time = new Date(timestamp).toLocaleString(vscode.env.language, {
      dateStyle: "short",
      timeStyle: "medium",
    });
    return {
      row: { id, cells: [{ time, title: timestamp }, action, actor, target, details, serviceVersion] },
      texts: [action, actor.text, actor.title, target.text, target.title],
    };
  }

  #exportNote(): TableNote[] {
    if (this.#exporting === undefined) return [];
    const cancel = { title: vscode.l10n.t("Cancel"), name: "cancelExport" };
    return [{ severity: "info", text: this.#exporting.text, actions: [cancel] }];
  }

  async #export(): Promise<void> {
    if (this.#exporting !== undefined) return;
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const target = await vscode.window.showSaveDialog({
      title: vscode.l10n.t("Export Audit Log"),
      ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder.uri, "audit-log.csv") }),
      filters: { CSV: ["csv"], JSON: ["json"] },
    });
    if (target === undefined) return;
    const exporting = { cancel: new vscode.CancellationTokenSource(), text: vscode.l10n.t("Exporting...") };
    this.#exporting = exporting;
    this.#showNote(undefined);
    let note: TableNote | undefined;
    let drawnAt = 0;
    try {
      const written = await exportAudit(target.fsPath, {
        service: this.#service,
        range: this.#range.current(),
        token: exporting.cancel.token,
        onProgress: (records, total) => {
          exporting.text = vscode.l10n.t("Exported {0} of {1} records.", count(records), count(total));
          if (Date.now() < drawnAt + progressIntervalMs) return;
          drawnAt = Date.now();
          this.#panel.draw();
        },
      });
      if (written !== undefined) {
        const text = vscode.l10n.t("Exported {0} records to {1}.", count(written), target.fsPath);
        note = { severity: "info", text, actions: [] };
      }
    } catch (error) {
      const isCanceled = error instanceof vscode.CancellationError;
      note = isCanceled ? undefined : { severity: "error", text: callError(error).message, actions: [] };
    } finally {
      exporting.cancel.dispose();
      this.#exporting = undefined;
      this.#showNote(note);
    }
  }

  dispose(): void {
    clearInterval(this.#following);
    this.#exporting?.cancel.cancel();
    this.#panel.dispose();
  }
}
