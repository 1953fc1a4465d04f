/** What the settings add to a query, with what is known of the open folders. */
import * as vscode from "vscode";
import type { Repositories } from "#client/repositories/repositories";
import { setting } from "#client/settings";
import { defaultRevisions, defaultScope, type ScopeSettings, typed } from "./scope";
import type { QueryDefaults } from "./searchState";
import { isWithin } from "./workspacePlaces";

export function scopeSettings(repositories: Pick<Repositories, "items" | "clones">): ScopeSettings {
  return {
    scope: setting("search.scope"),
    revisions: setting("search.revisions"),
    workspace: workspaceNames(repositories),
  };
}

/** Waits for the repositories where the scope depends on them. */
export async function queryDefaults(repositories: Repositories): Promise<QueryDefaults> {
  // Without them the search says itself that there is no server.
  if (setting("search.scope") === "workspace") await repositories.load().catch(() => undefined);
  const settings = scopeSettings(repositories);
  return {
    scope: typed(defaultScope(settings)),
    revisions: typed(defaultRevisions(settings)),
    includeArchived: setting("search.includeArchived"),
  };
}

/** Repositories whose clone holds an open folder, or lies in one. */
function workspaceNames({ items, clones }: Pick<Repositories, "items" | "clones">): string[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  return [...clones].flatMap(([id, { folder }]) => {
    const isOpen = folders.some((open) => isWithin(folder, open) || isWithin(open, folder));
    const name = items?.get(id)?.repoName;
    return isOpen && name !== undefined ? [name] : [];
  });
}
