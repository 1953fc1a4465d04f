/** The editor "Audit Log": what was done, newest first, a page at a time. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import { type Commands, setContext } from "#client/commands";
import type { ServiceClient } from "#client/serviceClient";
import { count } from "#client/words";
import type { AuditRecord } from "#contract/organisation";
import type { TableAction, TableContent, TableField, TableNote, TableRow } from "#webview/tableMessages";
import { exportAudit } from "./auditExport";
import { AuditNames } from "./auditNames";
import { AuditRange } from "./auditRange";
import { AuditRecords } from "./auditRecords";
import { isFound } from "./auditText";
import type { LicenseState } from "./license";
import { again, copyCall, enterLicense, failureNote, loadingNote } from "./licensedPage";
import { TablePanel } from "./tablePanel";

const followMs = 10_000;
/** A log that is followed begins anew past so many records. */
const maxFollowed = 5_000;
/** Progress is drawn no more often: each time all rows are compared. */
const progressMs = 250;

export class AuditLog implements vscode.Disposable {
  readonly #service: ServiceClient;
  readonly #license: LicenseState;
  readonly #panel: TablePanel;
  readonly #names: AuditNames;
  #loaded: AuditRecords | undefined;
  #isBusy = false;
  /** Of several loads the last one counts. */
  #turn = 0;
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
        [again]: () => this.#reload(),
        [enterLicense]: () => vscode.commands.executeCommand("trawl.org.license"),
        older: () => this.#more((loaded) => loaded.loadOlder()),
        cancelExport: () => this.#exporting?.cancel.cancel(),
      },
      set: (name, value) => this.#set(name, value),
      failed: (message) => this.#tell({ severity: "error", text: message, actions: [] }),
      closed: () => {
        this.#loaded = undefined;
        this.#exporting?.cancel.cancel();
        this.#follow(false);
      },
    });
  }

  readonly commands: Commands = {
    "org.audit": async () => {
      this.#panel.show();
      await this.#reload();
    },
    "org.refreshAudit": () => this.#reload(),
    "org.followAudit": () => this.#follow(true),
    "org.unfollowAudit": () => this.#follow(false),
    "org.exportAudit": () => this.#export(),
    "org.copyAuditCall": () => {
      const { since, until } = this.#range.span();
      const moment = (time: number | undefined) =>
        time === undefined ? undefined : new Date(time).toISOString();
      return copyCall(this.#service, "/api/ee/audit", { since: moment(since), until: moment(until) });
    },
  };

  /** What is shown stays until something else is there. */
  async #reload(): Promise<void> {
    const { problem } = this.#range;
    if (problem === undefined) {
      const fresh = new AuditRecords(this.#service, this.#range.span(), Date.now());
      await this.#load(fresh, () => fresh.loadOlder());
      return;
    }
    this.#turn++;
    this.#isBusy = false;
    this.#loaded = undefined;
    this.#tell({ severity: "error", text: problem, actions: [] });
  }

  /** Nothing where something is being loaded already: it would be asked for twice. */
  async #more(load: (loaded: AuditRecords) => Promise<void>): Promise<void> {
    const loaded = this.#loaded;
    if (loaded !== undefined && !this.#isBusy) await this.#load(loaded, () => load(loaded));
  }

  async #load(loaded: AuditRecords, load: () => Promise<void>): Promise<void> {
    const turn = ++this.#turn;
    this.#isBusy = true;
    this.#problem = undefined;
    this.#panel.draw();
    try {
      await load();
      await this.#names.know(loaded.records);
      if (turn === this.#turn) this.#loaded = loaded;
    } catch (error) {
      const note = await failureNote(error, this.#license);
      if (turn !== this.#turn) return;
      this.#problem = note;
      if (this.#loaded !== loaded) this.#loaded = undefined;
    } finally {
      if (turn === this.#turn) {
        this.#isBusy = false;
        this.#panel.draw();
      }
    }
  }

  #tell(note: TableNote | undefined): void {
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
    // What comes from now on is in no span that has an end.
    if (!this.#range.isOpen) this.#follow(false);
    await this.#reload();
  }

  #follow(isWanted: boolean): void {
    clearInterval(this.#following);
    this.#following = isWanted ? setInterval(() => void this.#look(), followMs) : undefined;
    setContext("trawl.auditFollowed", isWanted);
    this.#panel.draw();
    if (isWanted) void this.#look();
  }

  async #look(): Promise<void> {
    // What nobody sees need not be asked for, and to ask is recorded.
    if (!this.#panel.isVisible) return;
    const isLong = (this.#loaded?.records.length ?? 0) > maxFollowed;
    if (isLong && !this.#isBusy) await this.#reload();
    else await this.#more((loaded) => loaded.loadNewer());
  }

  #content(): TableContent {
    const { l10n } = vscode;
    const foot = l10n.t("Looking at this log is recorded in it, as audit.fetch and user.list.");
    const page = { isBusy: this.#isBusy, fields: this.#fields(), foot };
    const loaded = this.#loaded;
    const problems = this.#problem === undefined ? [] : [this.#problem];
    if (loaded === undefined) {
      const notes = this.#isBusy ? [loadingNote()] : problems;
      return { ...page, notes, columns: [], rows: [], more: [] };
    }
    const rows = loaded.records
      .map((record) => this.#rowOf(record))
      .filter(({ texts }) => isFound(texts, this.#filter));
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
        ? l10n.t("Nothing was recorded in this time.")
        : this.#filter.trim() === ""
          ? l10n.t("{0} of {1} records", count(records.length), count(total))
          : l10n.t(
              "{0} of the {1} loaded records contain the words of the filter; {2} are kept in all",
              count(shown),
              count(records.length),
              count(total),
            );
    const follow = this.#following === undefined ? "" : ` · ${l10n.t("followed every 10 seconds")}`;
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
    this.#tell(undefined);
    let note: TableNote | undefined;
    let drawnAt = 0;
    try {
      const written = await exportAudit(target.fsPath, {
        service: this.#service,
        span: this.#range.span(),
        token: exporting.cancel.token,
        onProgress: (records, total) => {
          exporting.text = vscode.l10n.t("{0} of {1} records are exported.", count(records), count(total));
          if (Date.now() < drawnAt + progressMs) return;
          drawnAt = Date.now();
          this.#panel.draw();
        },
      });
      if (written !== undefined) {
        const text = vscode.l10n.t("{0} records were written to {1}.", count(written), target.fsPath);
        note = { severity: "info", text, actions: [] };
      }
    } catch (error) {
      const isCancelled = error instanceof vscode.CancellationError;
      note = isCancelled ? undefined : { severity: "error", text: callError(error).message, actions: [] };
    } finally {
      exporting.cancel.dispose();
      this.#exporting = undefined;
      this.#tell(note);
    }
  }

  dispose(): void {
    clearInterval(this.#following);
    this.#exporting?.cancel.cancel();
    this.#panel.dispose();
  }
}
