/** `trawl.*` as typed values, and as what the server is told of them. */
import * as vscode from "vscode";
import type { EditorSettings } from "#contract/settings";
import { defaultSettings, type SettingName } from "./defaultSettings";

/** The value that holds for `scope`, as VS Code has it. */
export function setting<Name extends SettingName>(
  name: Name,
  scope?: vscode.ConfigurationScope,
): (typeof defaultSettings)[Name] {
  return vscode.workspace.getConfiguration("trawl", scope).get(name) ?? defaultSettings[name];
}

export function serverSettings(): EditorSettings {
  return {
    isTrusted: vscode.workspace.isTrusted,
    discovery: setting("repositories.autoDiscover"),
    roots: [...setting("repositories.roots")],
    scanDepth: setting("repositories.scanDepth"),
    exclude: [...setting("repositories.exclude")],
    submodules: setting("repositories.submodules"),
    branches: setting("index.branches"),
    newestTags: setting("index.tags"),
    maxFileBytes: setting("index.maxFileSize") * 1024,
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
