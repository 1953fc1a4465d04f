/** The editor "Members": who belongs to the organisation, and what they may do. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import type { Commands } from "#client/commands";
import type { ServiceClient } from "#client/serviceClient";
import { ago, count, day } from "#client/words";
import type { Member, Role } from "#contract/organisation";
import type { TableAction, TableContent, TableNote, TableRow } from "#webview/tableMessages";
import type { LicenseState } from "./license";
import { again, copyCall, enterLicense, failureNote, loadingNote } from "./licensedPage";
import { TablePanel } from "./tablePanel";

export class Members implements vscode.Disposable {
  readonly #service: ServiceClient;
  readonly #license: LicenseState;
  readonly #panel: TablePanel;
  #members: readonly Member[] | undefined;
  #isBusy = false;
  /** Why there is no list, or why what was asked for last did not happen. */
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
        [again]: () => this.#load(),
        [enterLicense]: () => vscode.commands.executeCommand("trawl.org.license"),
        makeOwner: (id) => this.#setRole(id, "OWNER"),
        makeMember: (id) => this.#setRole(id, "MEMBER"),
        remove: (id) => this.#remove(id),
      },
      set: () => {},
      failed: (message) => this.#fail(message),
      closed: () => {
        this.#members = undefined;
      },
    });
  }

  readonly commands: Commands = {
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

  /** The list is asked for again: it was not as the person saw it. */
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
        l10n.t("E-mail"),
        l10n.t("Role"),
        l10n.t("Last active"),
        l10n.t("Joined"),
        l10n.t("Suspended"),
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
    const remove = vscode.l10n.t("Remove From Organisation");
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t("Remove {0} from the organisation?", nameOf(member)),
      {
        modal: true,
        detail: vscode.l10n.t("Access, API keys and sessions of {0} are revoked at once.", nameOf(member)),
      },
      remove,
    );
    if (answer !== remove) return;
    await this.#service.call("removeUser", { userId: member.id });
    await this.#load();
  }

  async #add(): Promise<void> {
    const title = vscode.l10n.t("Add Member");
    const email = await vscode.window.showInputBox({
      title,
      prompt: vscode.l10n.t("E-mail address, as git and the sign-in know the person"),
      validateInput: (text) =>
        /^\S+@\S+\.\S+$/.test(text.trim()) ? undefined : vscode.l10n.t("This is no e-mail address."),
    });
    if (email === undefined) return;
    const name = await vscode.window.showInputBox({
      title,
      prompt: vscode.l10n.t("Name of the person; may be left empty"),
    });
    if (name === undefined) return;
    const roles = [
      { label: vscode.l10n.t("Member"), detail: vscode.l10n.t("searches and reads"), role: "MEMBER" },
      {
        label: vscode.l10n.t("Owner"),
        detail: vscode.l10n.t("also manages members and keys, and reads the audit log"),
        role: "OWNER",
      },
    ] as const;
    const picked = await vscode.window.showQuickPick(roles, { title });
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
        : { time: ago(Date.parse(lastActivityAt)), title: momentOf(lastActivityAt) },
      { time: day(createdAt), title: momentOf(createdAt) },
      suspendedAt === null ? "" : { time: day(suspendedAt), title: momentOf(suspendedAt) },
      isLastOwner(member, all) ? vscode.l10n.t("the last owner") : { actions: actionsFor(member) },
    ],
  };
}

/** Who cannot go, nor become a member like others. */
function isLastOwner({ id }: Member, all: readonly Member[]): boolean {
  const owners = all.filter((each) => each.role === "OWNER" && each.suspendedAt === null);
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
    action(l10n.t("Remove From Organisation..."), "remove"),
  ];
}

function nameOf({ name, email }: Member): string {
  return name === null ? email : `${name} (${email})`;
}

function momentOf(moment: string): string {
  return new Date(moment).toLocaleString(vscode.env.language);
}
