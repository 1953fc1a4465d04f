/** Commands about API keys. */
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import type { ApiKeyRow } from "./apiKeyRows";
import type { ApiKeys } from "./apiKeys";

const dayMs = 24 * 60 * 60 * 1000;
const maxNameLength = 100;

export function apiKeyCommands(keys: ApiKeys): Commands {
  return {
    async "api.createKey"() {
      const known = await keys.load();
      const name = await askName(known.map((key) => key.name));
      if (name === undefined) return;
      const expiry = await askExpiry();
      if (expiry === undefined) return;
      await show(name, await keys.create(name, expiry.at), known.length === 0);
    },
    "api.refreshKeys": () => keys.load(),
    async "api.revokeKey"(row?: ApiKeyRow) {
      const key = row?.key ?? (await pickKey(keys));
      if (key === undefined) return;
      const revoke = vscode.l10n.t("Revoke");
      const answer = await vscode.window.showWarningMessage(
        vscode.l10n.t("Revoke the API key {0}?", key.name),
        { modal: true, detail: vscode.l10n.t("Programs that use it are refused from now on.") },
        revoke,
      );
      if (answer === revoke) await keys.revoke(key.id);
    },
  };
}

async function askName(taken: readonly string[]): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t("Create API Key"),
    prompt: vscode.l10n.t("Name of the key, such as the program that is to use it"),
    validateInput(text) {
      const wanted = text.trim();
      if (wanted === "") return vscode.l10n.t("A key needs a name.");
      if (wanted.length > maxNameLength)
        return vscode.l10n.t("A name has at most {0} characters.", maxNameLength);
      return taken.includes(wanted) ? vscode.l10n.t("There is a key with this name already.") : undefined;
    },
  });
  return name?.trim();
}

/** The moment, or none for a key that stays valid; undefined where nothing was chosen. */
async function askExpiry(): Promise<{ readonly at: string | undefined } | undefined> {
  const choices = [
    { label: vscode.l10n.t("30 days"), days: 30 },
    { label: vscode.l10n.t("1 year"), days: 365 },
    { label: vscode.l10n.t("Never"), days: undefined },
  ];
  const chosen = await vscode.window.showQuickPick(choices, {
    title: vscode.l10n.t("Create API Key"),
    placeHolder: vscode.l10n.t("When the key expires"),
  });
  if (chosen === undefined) return undefined;
  const { days } = chosen;
  return { at: days === undefined ? undefined : new Date(Date.now() + days * dayMs).toISOString() };
}

async function show(name: string, key: string, isFirst: boolean): Promise<void> {
  const copy = { title: vscode.l10n.t("Copy Key") };
  // The key is there: nothing is left to be cancelled.
  const close = { title: vscode.l10n.t("Close"), isCloseAffordance: true };
  const lines = [
    key,
    vscode.l10n.t("It is shown only this once: nobody can read it again."),
    ...(isFirst
      ? [vscode.l10n.t("From now on the local endpoint answers only programs that show a key.")]
      : []),
  ];
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t("The API key {0}", name),
    { modal: true, detail: lines.join("\n\n") },
    copy,
    close,
  );
  if (answer === copy) await vscode.env.clipboard.writeText(key);
}

async function pickKey(keys: ApiKeys): Promise<ApiKeyRow["key"] | undefined> {
  const items = (await keys.load()).map((key) => ({ label: key.name, description: keys.ownerOf(key), key }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Revoke API Key") });
  return picked?.key;
}
