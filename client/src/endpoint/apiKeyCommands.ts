/** Commands that create, list and revoke API keys. */

import * as vscode from "vscode";
import type { Handlers } from "#client/workbench/declarations";
import type { ApiKeyRow } from "./apiKeyRows";
import type { ApiKeys } from "./apiKeys";
import type { apiKeyCommands as declared } from "./contributions";

const dayMs = 24 * 60 * 60 * 1000;
const maxNameLength = 100;

export function apiKeyCommands(keys: ApiKeys): Handlers<typeof declared> {
  return {
    async "api.createKey"() {
      const known = await keys.load();
      const name = await promptForName(known.map((key) => key.name));
      if (name === undefined) return;
      const expiry = await promptForExpiry();
      if (expiry === undefined) return;
      await showKey(name, await keys.create(name, expiry.at), known.length === 0);
    },
    "api.refreshKeys": () => keys.load(),
    async "api.revokeKey"(row?: ApiKeyRow) {
      const key = row?.key ?? (await pickKey(keys));
      if (key === undefined) return;
      const revoke = vscode.l10n.t("Revoke");
      const choice = await vscode.window.showWarningMessage(
        vscode.l10n.t("Revoke the API key {0}?", key.name),
        { modal: true, detail: vscode.l10n.t("Programs that use this key lose access immediately.") },
        revoke,
      );
      if (choice === revoke) await keys.revoke(key.id);
    },
  };
}

async function promptForName(taken: readonly string[]): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t("Create API Key"),
    prompt: vscode.l10n.t("Name of the key, such as the program that will use it"),
    validateInput(text) {
      const trimmed = text.trim();
      if (trimmed === "") return vscode.l10n.t("Enter a name.");
      if (trimmed.length > maxNameLength)
        return vscode.l10n.t("Enter at most {0} characters.", maxNameLength);
      return taken.includes(trimmed)
        ? vscode.l10n.t("A key with this name already exists. Enter another name.")
        : undefined;
    },
  });
  return name?.trim();
}

/** Returns when the key expires, without a time if never; `undefined` if the user cancels. */
async function promptForExpiry(): Promise<{ readonly at: string | undefined } | undefined> {
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

async function showKey(name: string, key: string, isFirstKey: boolean): Promise<void> {
  const copy = { title: vscode.l10n.t("Copy Key") };
  // The key exists already, so there is nothing to cancel.
  const close = { title: vscode.l10n.t("Close"), isCloseAffordance: true };
  const lines = [
    key,
    vscode.l10n.t("Copy it now; it won't be shown again."),
    ...(isFirstKey ? [vscode.l10n.t("The local endpoint now requires an API key.")] : []),
  ];
  const choice = await vscode.window.showInformationMessage(
    vscode.l10n.t("API key {0}", name),
    { modal: true, detail: lines.join("\n\n") },
    copy,
    close,
  );
  if (choice === copy) await vscode.env.clipboard.writeText(key);
}

async function pickKey(keys: ApiKeys): Promise<ApiKeyRow["key"] | undefined> {
  const items = (await keys.load()).map((key) => ({ label: key.name, description: keys.ownerOf(key), key }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Revoke API Key") });
  return picked?.key;
}
