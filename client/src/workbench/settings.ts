/** The `trawl.*` settings as typed values, and as sent to the server. */
import * as vscode from "vscode";
import type { EditorSettings } from "#contract/editorOptions";
import type { SettingName, SettingValue } from "./settingsTable";

/** Returns the value in effect for `scope`. */
export function setting<Name extends SettingName>(
  name: Name,
  scope?: vscode.ConfigurationScope,
): SettingValue<Name> {
  // VS Code knows the default of every setting that the manifest declares.
  return vscode.workspace.getConfiguration("trawl", scope).get(name) as SettingValue<Name>;
}

export function serverSettings(): EditorSettings {
  return {
    isTrusted: vscode.workspace.isTrusted,
    discovery: setting("repositories.autoDiscover"),
    roots: [...setting("repositories.roots")],
    scanDepth: setting("repositories.scanDepth"),
    exclude: [...setting("repositories.exclude")],
    submodules: setting("repositories.submodules"),
    dependencies: setting("repositories.dependencies"),
    branches: setting("index.branches"),
    newestTags: setting("index.tags"),
    maxFileBytes: setting("index.maxFileSize") * 1024,
    maxIndexBytes: Math.round(setting("index.maxDiskSize") * 1_000_000),
    indexExclude: [...setting("index.exclude")],
    threads: setting("index.threads"),
    includeUnsaved: setting("search.includeUnsaved"),
    maxGitProcesses: setting("history.maxGitProcesses"),
    gitTimeLimitMs: setting("history.gitTimeout") * 1000,
    endpoint: {
      isEnabled: setting("api.enabled"),
      port: setting("api.port"),
      allowedOrigins: [...setting("api.allowedOrigins")],
    },
  };
}
