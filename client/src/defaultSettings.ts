/** The settings of this extension, `trawl.*`, with their types. Pure: knows no VS Code. */

/** Every setting with its default: the manifest says the same, and a test compares the two. */
export const defaultSettings = {
  "search.caseSensitivity": "smart" as "smart" | "insensitive" | "sensitive",
  "search.mode": "literal" as "literal" | "regex",
  "search.onType": true,
  "search.scope": "all",
  "search.revisions": "head" as "head" | "branches" | "all",
  "search.maxRows": 2000,
  "search.contextLines": 2,
  "search.includeUnsaved": true,
  "search.includeArchived": false,
  "search.openTarget": "local" as "local" | "snapshot",
  "search.sharedFile": ".trawl/searches.jsonc",
  "repositories.autoDiscover": "siblings" as "off" | "workspace" | "siblings",
  "repositories.roots": [] as readonly string[],
  "repositories.scanDepth": 4,
  "repositories.exclude": ["**/node_modules/**", "**/.cache/**"] as readonly string[],
  "repositories.submodules": true,
  "index.location": null as string | null,
  "index.branches": "local" as "default" | "local" | "all",
  "index.tags": 20,
  "index.maxFileSize": 2048,
  "index.exclude": [] as readonly string[],
  "index.threads": 0,
  "blame.inline": "snapshots" as "off" | "snapshots" | "always",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the person's template, not one of this language.
  "blame.format": "${author}, ${ago} • ${message|50}",
  "blame.heatmap": true,
  "blame.ignoreWhitespace": true,
  "blame.ignoreRevsFile": ".git-blame-ignore-revs",
  "history.followRenames": true,
  "history.maxGitProcesses": 4,
  "history.gitTimeout": 10,
  "navigation.localFiles": "fallback" as "off" | "fallback" | "always",
  "navigation.workspaceSymbols": true,
  "api.enabled": false,
  "api.port": 4878,
  "api.allowedOrigins": [] as readonly string[],
  "api.agentTools": true,
  "server.path": null as string | null,
  "trace.server": "off" as "off" | "messages" | "verbose",
  "ui.statusBar": "auto" as "auto" | "always" | "never",
};

export type SettingName = keyof typeof defaultSettings;

export const settingNames = Object.keys(defaultSettings) as readonly SettingName[];
