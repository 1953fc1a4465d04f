/** Rows of API keys in the API & Agents view. */
import * as vscode from "vscode";
import { ago, day } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { ApiKey } from "#contract/organization";
import type { ApiKeys } from "./apiKeys";

/** A row with its key, for commands. */
export interface ApiKeyRow extends Row {
  readonly key: ApiKey;
}

/** Loads the keys when it is expanded. */
export function apiKeysRow(keys: ApiKeys): Row {
  const { known } = keys;
  return {
    id: "apiKeys",
    item: () => ({
      label: vscode.l10n.t("API keys"),
      ...(known === undefined ? {} : { description: `${known.length}` }),
      iconPath: new vscode.ThemeIcon("key"),
      contextValue: "apiKeys",
      tooltip: vscode.l10n.t("A program with an API key can search and read what its member may see."),
      collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
    }),
    async children() {
      const loaded = await keys.load();
      return loaded.length === 0 ? [noKeysRow()] : loaded.map((key) => apiKeyRow(key, keys.ownerOf(key)));
    },
  };
}

function apiKeyRow(key: ApiKey, owner: string): ApiKeyRow {
  const hasExpired = key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now();
  const icon = hasExpired ? "warning" : "key";
  return {
    id: `key ${key.id}`,
    key,
    item: () => ({
      label: key.name,
      description: [lastUsedText(key), expiryText(key, hasExpired), boundsText(key)]
        .filter((text) => text !== "")
        .join(" · "),
      iconPath: new vscode.ThemeIcon(icon),
      contextValue: "apiKey",
      tooltip: [
        key.name,
        vscode.l10n.t("Acts as {0}.", owner),
        vscode.l10n.t("Created on {0}.", day(key.createdAt)),
        ...(key.expiresAt === null
          ? []
          : [vscode.l10n.t("Valid until {0}.", new Date(key.expiresAt).toLocaleString(vscode.env.language))]),
        ...(key.isReadOnly ? [vscode.l10n.t("Cannot change anything.")] : []),
        ...(key.repositories === null
          ? []
          : [vscode.l10n.t("Sees only these repositories: {0}", key.repositories.join(", "))]),
      ].join("\n"),
    }),
  };
}

function noKeysRow(): Row {
  return {
    id: "no keys",
    item: () => ({
      label: vscode.l10n.t("Create API Key..."),
      iconPath: new vscode.ThemeIcon("add"),
    }),
    run: () => vscode.commands.executeCommand("trawl.api.createKey"),
  };
}

function lastUsedText({ lastUsedAt }: ApiKey): string {
  return lastUsedAt === null
    ? vscode.l10n.t("never used")
    : vscode.l10n.t("last used {0}", ago(Date.parse(lastUsedAt)));
}

function expiryText({ expiresAt }: ApiKey, hasExpired: boolean): string {
  if (expiresAt === null) return "";
  return hasExpired ? vscode.l10n.t("expired") : vscode.l10n.t("expires {0}", futureDay(expiresAt));
}

function boundsText({ isReadOnly, repositories }: ApiKey): string {
  if (repositories !== null) return vscode.l10n.t("some repositories");
  return isReadOnly ? vscode.l10n.t("read-only") : "";
}

/** Formats a day within a year from now without its year. */
function futureDay(moment: string): string {
  const date = new Date(moment);
  const nextYear = new Date();
  nextYear.setFullYear(nextYear.getFullYear() + 1);
  if (date >= nextYear) return day(moment);
  return date.toLocaleDateString(vscode.env.language, { day: "numeric", month: "short" });
}
