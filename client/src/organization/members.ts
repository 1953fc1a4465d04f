/** The Members editor: the members of the organization and their roles. */

import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import { ago, count, day } from "#client/workbench/format";
import type { Member, Role } from "#contract/organization";
import type { TableAction, TableContent, TableNote, TableRow } from "#webview/tableMessages";
import type { memberCommands } from "./contributions";
import type { LicenseState } from "./license";
import { copyCall, enterLicenseAction, failureNote, loadingNote, retryAction } from "./licensedPage";
import { TablePanel } from "./tablePanel";

export class Members implements vscode.Disposable {
  readonly #service: ServiceClient;
  readonly #license: LicenseState;
  readonly #panel: TablePanel;
  #members: readonly Member[] | undefined;
  #isBusy = false;
  /** Why the list could not be loaded, or why the last action failed. */
  #problem: TableNote | undefined;

  constructor(service: ServiceClient, license: LicenseState, extensionUri: vscode.Uri) {
    this.#service = service;
    this.#license = license;
    this.#panel = new TablePanel({
      extensionUri,
      viewType: "trawl.members",
      title: () => vscode.l10n.t("Members"),
      content: () => this.#content(),
      actions: {
        [retryAction]: () => this.#load(),
        [enterLicenseAction]: () => vscode.commands.executeCommand("trawl.org.license"),
        makeOwner: (id) => this.#setRole(id, "OWNER"),
        makeMember: (id) => this.#setRole(id, "MEMBER"),
        remove: (id) => this.#remove(id),
      },
      onFieldChange: () => {},
      onError: (message) => this.#fail(message),
      onClose: () => {
        this.#members = undefined;
      },
    });
  }

  readonly commands: Handlers<typeof memberCommands> = {
    "org.members": async () => {
      this.#panel.show();
      await this.#load();
    },
    "org.refreshMembers": () => this.#load(),
    "org.addMember": () => this.#add(),
    "org.copyMembersCall": () => copyCall(this.#service, "/api/ee/users", {}),
  };

  async #load(): Promise<void> {
    this.#isBusy = true;
    this.#problem = undefined;
    this.#panel.draw();
    try {
      this.#members = await this.#service.call("users", {});
    } catch (error) {
      this.#members = undefined;
      this.#problem = await failureNote(error, this.#license);
    } finally {
      this.#isBusy = false;
      this.#panel.draw();
    }
  }

  /** Shows an error and reloads the list, which may have been out of date. */
  async #fail(message: string): Promise<void> {
    await this.#load();
    this.#problem ??= { severity: "error", text: message, actions: [] };
    this.#panel.draw();
  }

  #content(): TableContent {
    const { l10n } = vscode;
    const members = this.#members;
    const notes = this.#problem === undefined ? [] : [this.#problem];
    const page = { isBusy: this.#isBusy, fields: [], more: [] };
    if (members === undefined) {
      const shown = this.#isBusy ? [loadingNote()] : notes;
      return { ...page, notes: shown, columns: [], rows: [], foot: "" };
    }
    return {
      ...page,
      notes,
      columns: [
        l10n.t("Name"),
        l10n.t("Email"),
        l10n.t("Role"),
        l10n.t("Last active"),
        l10n.t("Joined"),
        l10n.t("Disabled"),
        l10n.t("Actions"),
      ],
      rows: members.map((member) => rowOf(member, members)),
      foot: members.length === 1 ? l10n.t("1 member") : l10n.t("{0} members", count(members.length)),
    };
  }

  async #setRole(userId: string | undefined, role: Role): Promise<void> {
    if (userId === undefined) return;
    await this.#service.call("changeRole", { userId, role });
    await this.#load();
  }

  async #remove(userId: string | undefined): Promise<void> {
    const member = this.#members?.find(({ id }) => id === userId);
    if (member === undefined) return;
    const remove = vscode.l10n.t("Remove from Organization");
    const choice = await vscode.window.showWarningMessage(
      vscode.l10n.t("Remove {0} from the organization?", nameOf(member)),
      {
        modal: true,
        detail: vscode.l10n.t(
          "The access, API keys and sessions of {0} are revoked immediately.",
          nameOf(member),
        ),
      },
      remove,
    );
    if (choice !== remove) return;
    await this.#service.call("removeUser", { userId: member.id });
    await this.#load();
  }

  async #add(): Promise<void> {
    const title = vscode.l10n.t("Add Member");
    const email = await vscode.window.showInputBox({
      title,
      ignoreFocusOut: true,
      prompt: vscode.l10n.t("Email address that the member uses for Git and for signing in"),
      validateInput: (text) =>
        /^\S+@\S+\.\S+$/.test(text.trim()) ? undefined : vscode.l10n.t("Enter a valid email address."),
    });
    if (email === undefined) return;
    const name = await vscode.window.showInputBox({
      title,
      ignoreFocusOut: true,
      prompt: vscode.l10n.t("Name (optional)"),
    });
    if (name === undefined) return;
    const roles = [
      { label: vscode.l10n.t("Member"), detail: vscode.l10n.t("can search and read code"), role: "MEMBER" },
      {
        label: vscode.l10n.t("Owner"),
        detail: vscode.l10n.t("can also manage members and keys, and read the audit log"),
        role: "OWNER",
      },
    ] as const;
    const picked = await vscode.window.showQuickPick(roles, { title, ignoreFocusOut: true });
    if (picked === undefined) return;
    const named = name.trim() === "" ? {} : { name: name.trim() };
    try {
      await this.#service.call("addMember", { email: email.trim(), role: picked.role, ...named });
      await this.#load();
    } catch (error) {
      if (!this.#panel.isOpen) throw error;
      await this.#fail(callError(error).message);
    }
  }

  dispose(): void {
    this.#panel.dispose();
  }
}

function rowOf(member: Member, all: readonly Member[]): TableRow {
  const { id, name, email, role, lastActivityAt, createdAt, suspendedAt } = member;
  return {
    id,
    cells: [
      name ?? "",
      email,
      role === "OWNER" ? vscode.l10n.t("Owner") : vscode.l10n.t("Member"),
      lastActivityAt === null
        ? vscode.l10n.t("never")
        : { time: ago(Date.parse(lastActivityAt)), title: formatTime(lastActivityAt) },
      { time: day(createdAt), title: formatTime(createdAt) },
      suspendedAt === null ? "" : { time: day(suspendedAt), title: formatTime(suspendedAt) },
      isLastOwner(member, all) ? vscode.l10n.t("last owner") : { actions: actionsFor(member) },
    ],
  };
}

/** The last owner can be neither removed nor demoted. */
function isLastOwner({ id }: Member, all: readonly Member[]): boolean {
  const owners = all.filter((each) => each.role === "OWNER" && !each.isService && each.suspendedAt === null);
  return owners.length === 1 && owners[0]?.id === id;
}

function actionsFor(member: Member): TableAction[] {
  const { l10n } = vscode;
  const action = (title: string, name: string): TableAction => ({
    title,
    name,
    value: member.id,
    label: l10n.t("{0}: {1}", title, nameOf(member)),
  });
  return [
    member.role === "OWNER"
      ? action(l10n.t("Make Member"), "makeMember")
      : action(l10n.t("Make Owner"), "makeOwner"),
    action(l10n.t("Remove from Organization..."), "remove"),
  ];
}

function nameOf({ name, email }: Member): string {
  return name === null ? email : `${name} (${email})`;
}

function formatTime(timestamp: string): string {
  return new Date(timestamp).toLocaleString(vscode.env.language);
}
