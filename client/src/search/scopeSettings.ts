/** The filters that the settings add to a query. */
import * as vscode from "vscode";
import { isWithin } from "#client/model/cloneLocation";
import type { Repositories } from "#client/model/repositories";
import { setting } from "#client/workbench/settings";
import { defaultRevisions, defaultScope, optionalFilterText, type ScopeSettings } from "./scope";
import type { QueryDefaults } from "./searchState";

export function scopeSettings(repositories: Pick<Repositories, "items" | "clones">): ScopeSettings {
  return {
    scope: setting("search.scope"),
    revisions: setting("search.revisions"),
    workspace: workspaceNames(repositories),
  };
}

/** Returns the defaults; waits for the repositories if the scope depends on them. */
export async function queryDefaults(repositories: Repositories): Promise<QueryDefaults> {
  // If the server fails, the search itself reports it.
  if (setting("search.scope") === "workspace") await repositories.load().catch(() => undefined);
  const settings = scopeSettings(repositories);
  return {
    scope: optionalFilterText(defaultScope(settings)),
    revisions: optionalFilterText(defaultRevisions(settings)),
    includeArchived: setting("search.includeArchived"),
  };
}

/** Returns the repositories whose clone contains an open folder or is inside one. */
function workspaceNames({ items, clones }: Pick<Repositories, "items" | "clones">): string[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  return [...clones].flatMap(([id, { folder }]) => {
    const isOpen = folders.some((open) => isWithin(folder, open) || isWithin(open, folder));
    const name = items?.get(id)?.repoName;
    return isOpen && name !== undefined ? [name] : [];
  });
}
