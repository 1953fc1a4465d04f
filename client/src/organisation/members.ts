/** The editor "Members": who belongs to the organisation. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import type { Commands } from "#client/commands";
import type { ServiceClient } from "#client/serviceClient";
import { ago } from "#client/words";
import type { Member } from "#contract/organisation";
import { type TableContent, TablePanel } from "./tablePanel";

export class Members implements vscode.Disposable {
  readonly #service: ServiceClient;
  readonly #panel: TablePanel;

  constructor(service: ServiceClient, extensionUri: vscode.Uri) {
    this.#service = service;
    this.#panel = new TablePanel({
      extensionUri,
      viewType: "trawl.members",
      title: () => vscode.l10n.t("Members"),
      commands: ["org.members", "org.removeMember"],
      content: () => this.#content(),
    });
  }

  readonly commands: Commands = {
    "org.members": () => this.#panel.show(),
    "org.removeMember": async (userId: unknown) => {
      if (typeof userId === "string") await this.#remove(userId);
    },
  };

  async #content(): Promise<TableContent> {
    const { l10n } = vscode;
    const page = { actions: [{ text: l10n.t("Refresh"), command: "org.members" }], notes: [], foot: "" };
    try {
      const members = await this.#service.call("users", {});
      return {
        ...page,
        head: [
          l10n.t("Name"),
          l10n.t("E-mail"),
          l10n.t("Role"),
          l10n.t("Last active"),
          l10n.t("Joined"),
          l10n.t("Suspended"),
          l10n.t("Actions"),
        ],
        rows: members.map((member) => rowOf(member, members)),
        foot: l10n.t("{0} members. Others are added with: trawl members add", members.length),
      };
    } catch (error) {
      return { ...page, notes: [callError(error).message], head: [], rows: [] };
    }
  }

  async #remove(userId: string): Promise<void> {
    const member = (await this.#service.call("users", {})).find(({ id }) => id === userId);
    if (member === undefined) return await this.#panel.renew();
    const remove = vscode.l10n.t("Remove From Organisation");
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t("Remove {0} from the organisation?", nameOf(member)),
      { modal: true, detail: vscode.l10n.t("Access, API keys and sessions are revoked at once.") },
      remove,
    );
    if (answer !== remove) return;
    await this.#service.call("removeUser", { userId });
    await this.#panel.renew();
  }

  dispose(): void {
    this.#panel.dispose();
  }
}

function rowOf(member: Member, all: readonly Member[]): TableContent["rows"][number] {
  const { id, name, email, role, lastActivityAt, createdAt, suspendedAt } = member;
  const owners = all.filter((each) => each.role === "OWNER" && each.suspendedAt === null);
  const isLastOwner = owners.length === 1 && owners[0]?.id === id;
  return [
    name ?? "",
    email,
    role === "OWNER" ? vscode.l10n.t("Owner") : vscode.l10n.t("Member"),
    lastActivityAt === null ? vscode.l10n.t("never") : ago(Date.parse(lastActivityAt)),
    new Date(createdAt).toLocaleDateString(),
    suspendedAt === null ? "" : new Date(suspendedAt).toLocaleDateString(),
    isLastOwner
      ? vscode.l10n.t("the last owner")
      : { text: vscode.l10n.t("Remove From Organisation..."), command: "org.removeMember", argument: id },
  ];
}

function nameOf({ name, email }: Member): string {
  return name === null ? email : `${name} (${email})`;
}
