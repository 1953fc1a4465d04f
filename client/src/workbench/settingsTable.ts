/** Declares the `trawl.*` settings for the manifest, and the types of their values. */

export interface SettingDeclaration {
  readonly type: "string" | "number" | "integer" | "boolean" | "array" | readonly ["string", "null"];
  readonly default: unknown;
  /** Markdown. */
  readonly description: string;
  readonly scope: "machine" | "machine-overridable" | "window" | "resource" | "language-overridable";
  /** The allowed values, each with its description. */
  readonly values?: Readonly<Record<string, string>>;
  readonly minimum?: number;
  readonly maximum?: number;
  /** An expression that a string must match, and what to say if it does not. */
  readonly pattern?: string;
  readonly patternErrorMessage?: string;
}

interface SettingsSection {
  readonly title: string;
  /** By name, without `trawl.`. */
  readonly settings: Readonly<Record<string, SettingDeclaration>>;
}

/** Sections and settings, in the order of the Settings editor. */
export const settingsSections = {
  search: {
    title: "Search",
    settings: {
      "search.caseSensitivity": {
        type: "string",
        default: "smart",
        scope: "resource",
        description:
          "Whether search is case-sensitive. The `Aa` button and `case:` in the query override this.",
        values: {
          smart: "Words in lower case match any case; words with a capital letter are case-sensitive.",
          insensitive: "Never case-sensitive.",
          sensitive: "Always case-sensitive.",
        },
      },
      "search.mode": {
        type: "string",
        default: "literal",
        scope: "window",
        description: "How words are interpreted. The `.*` button overrides this.",
        values: {
          literal: "Words are literal text.",
          regex: "Words are regular expressions (RE2 syntax).",
        },
      },
      "search.onType": {
        type: "boolean",
        default: true,
        scope: "window",
        description: "Search as you type if the index makes that fast. Otherwise, search on Enter.",
      },
      "search.scope": {
        type: "string",
        default: "all",
        scope: "window",
        description:
          "What a search without `repo:` and `context:` covers: `all`, `workspace` (the repositories of the open folders), or the name of a context.",
      },
      "search.revisions": {
        type: "string",
        default: "head",
        scope: "window",
        description: "What a search without `rev:` covers.",
        values: {
          head: "The default branch, including uncommitted changes.",
          branches: "All indexed branches.",
          all: "All indexed branches and tags.",
        },
      },
      "search.maxRows": {
        type: "number",
        default: 2000,
        scope: "window",
        description:
          "Maximum number of matches loaded at first. Counts stay exact, and the rest is one click away.",
        minimum: 100,
        maximum: 100000,
      },
      "search.contextLines": {
        type: "number",
        default: 2,
        scope: "window",
        description: "Number of context lines around each match in a results editor.",
        minimum: 0,
        maximum: 20,
      },
      "search.includeUnsaved": {
        type: "boolean",
        default: true,
        scope: "window",
        description: "Search the text of unsaved editors instead of the saved files.",
      },
      "search.includeArchived": {
        type: "boolean",
        default: false,
        scope: "window",
        description: "Also search repositories that are archived on their code host.",
      },
      "search.openTarget": {
        type: "string",
        default: "local",
        scope: "window",
        description: "What to open for a result.",
        values: {
          local:
            "The editable file in your clone, at the current position of the line; a snapshot if there is no clone.",
          snapshot: "The file as it was indexed.",
        },
      },
      "search.sharedFile": {
        type: "string",
        default: ".trawl/searches.jsonc",
        scope: "resource",
        description:
          "File with the searches that a team shares, relative to each open folder. Ignored in folders that you do not trust.",
      },
    },
  },
  repositories: {
    title: "Repositories",
    settings: {
      "repositories.autoDiscover": {
        type: "string",
        default: "siblings",
        scope: "machine",
        description: "Which repositories are discovered automatically.",
        values: {
          off: "None. Only folders that you add are indexed.",
          workspace: "The repositories of the open folders.",
          siblings:
            "The repositories of the open folders. Other clones in the same folder are listed and can be indexed with one click.",
        },
      },
      "repositories.roots": {
        type: "array",
        default: [],
        scope: "machine",
        description: "Absolute paths of folders to search for clones.",
      },
      "repositories.scanDepth": {
        type: "number",
        default: 4,
        scope: "machine",
        description: "Number of folder levels to search for clones.",
        minimum: 0,
        maximum: 32,
      },
      "repositories.exclude": {
        type: "array",
        default: ["**/node_modules/**", "**/.cache/**"],
        scope: "machine",
        description: "Glob patterns of folders to skip when searching for clones.",
      },
      "repositories.submodules": {
        type: "boolean",
        default: true,
        scope: "machine",
        description: "Index submodules as separate repositories.",
      },
      "repositories.dependencies": {
        type: "boolean",
        default: true,
        scope: "machine",
        description:
          "Index the packages that lock files name, if they are on this computer. They are searched only if you ask for them, as in `repo:npm/zod`.",
      },
    },
  },
  index: {
    title: "Index",
    settings: {
      "index.location": {
        type: ["string", "null"],
        default: null,
        scope: "machine-overridable",
        description:
          "Folder where the index is stored. If empty, the folder that the `trawl` command line also uses. Takes effect when the server restarts.",
      },
      "index.branches": {
        type: "string",
        default: "local",
        scope: "machine",
        description: "Which branches of each clone are indexed.",
        values: {
          default: "The default branch.",
          local: "All local branches.",
          all: "All branches, including remote-tracking branches.",
        },
      },
      "index.tags": {
        type: "number",
        default: 20,
        scope: "machine",
        description:
          "Number of newest tags that are indexed in each repository. Other tags are read when they are searched.",
        minimum: 0,
        maximum: 100000,
      },
      "index.maxFileSize": {
        type: "number",
        default: 2048,
        scope: "machine",
        description:
          "Maximum size in KB of files whose text is indexed. Larger files are found by name only and listed as skipped.",
        minimum: 1,
        maximum: 32768,
      },
      "index.maxDiskSize": {
        type: "number",
        default: 0,
        scope: "machine",
        description:
          "Maximum size in MB of the index on disk. The least used repositories lose their index first, and are indexed again when a search names them with `repo:`. 0: no limit.",
        minimum: 0,
        maximum: 1_000_000_000,
      },
      "index.exclude": {
        type: "array",
        default: [],
        scope: "machine",
        description: "Glob patterns of files that are found by name only.",
      },
      "index.threads": {
        type: "number",
        default: 0,
        scope: "machine",
        description: "Number of indexing threads; 0 chooses it automatically.",
        minimum: 0,
        maximum: 64,
      },
    },
  },
  blame: {
    title: "Blame",
    settings: {
      "blame.inline": {
        type: "string",
        default: "snapshots",
        scope: "window",
        description: "Where inline blame is shown: who last changed the line at the cursor, and when.",
        values: {
          off: "Nowhere.",
          snapshots: "In files that Trawl opens from other revisions and repositories.",
          always:
            "Also in files of your clones, unless VS Code (`#git.blame.editorDecoration.enabled#`) or GitLens shows inline blame.",
        },
      },
      "blame.format": {
        type: "string",
        default: "${author}, ${ago} • ${message|50}",
        scope: "window",
        description:
          "Text shown on the line at the cursor. Variables: `${author}`, `${email}`, `${ago}`, `${date}`, `${message}` and `${sha}`. A number after `|` truncates a value to that many columns, as in `${message|50}`.",
      },
      "blame.heatmap": {
        type: "boolean",
        default: true,
        scope: "window",
        description: "Show a stripe beside each line, colored by the age of the line.",
      },
      "blame.ignoreWhitespace": {
        type: "boolean",
        default: true,
        scope: "resource",
        description: "Skip commits that changed only whitespace.",
      },
      "blame.ignoreRevsFile": {
        type: "string",
        default: ".git-blame-ignore-revs",
        scope: "resource",
        description:
          "File in each repository that lists commits to skip, one full SHA per line. If empty, none are skipped.",
      },
    },
  },
  history: {
    title: "History and Git",
    settings: {
      "history.followRenames": {
        type: "boolean",
        default: true,
        scope: "window",
        description: "Follow renames in the history and authors of a file.",
      },
      "history.maxGitProcesses": {
        type: "integer",
        default: 4,
        scope: "machine",
        description:
          "Maximum number of concurrent git processes for files and history. If several windows share an index, only the setting of the window whose server writes the index applies.",
        minimum: 1,
        maximum: 64,
      },
      "history.gitTimeout": {
        type: "integer",
        default: 10,
        scope: "machine",
        description:
          "Time limit in seconds of each git process for files and history. Blame that takes longer can be continued.",
        minimum: 1,
        maximum: 600,
      },
    },
  },
  navigation: {
    title: "Navigation",
    settings: {
      "navigation.localFiles": {
        type: "string",
        default: "fallback",
        scope: "language-overridable",
        description:
          "Whether Trawl provides definitions, references, hovers and outlines in files on this computer. It always does in files that it opens from other revisions and repositories.",
        values: {
          off: "Never.",
          fallback: "If no other extension provides any.",
          always: "In addition to those of other extensions.",
        },
      },
      "navigation.workspaceSymbols": {
        type: "boolean",
        default: true,
        scope: "window",
        description:
          "Whether *Go to Symbol in Workspace* also lists symbols of repositories that are not open.",
      },
    },
  },
  endpoint: {
    title: "Endpoint",
    settings: {
      "api.enabled": {
        type: "boolean",
        default: false,
        scope: "machine",
        description:
          "Serve the REST interface on this computer whenever the search server runs. Programs on this computer can then search and read every indexed repository.",
      },
      "api.port": {
        type: "number",
        default: 4878,
        scope: "machine",
        description:
          "Port of the REST interface. If 4878 is taken, the next free one is used and shown; any other port must be free.",
        minimum: 0,
        maximum: 65535,
      },
      "api.allowedOrigins": {
        type: "array",
        default: [],
        scope: "machine",
        description:
          "Origins of web pages, such as `https://example.com`, that may call the REST interface and embed its pages.",
      },
      "api.agentTools": {
        type: "boolean",
        default: true,
        scope: "window",
        description:
          "Let VS Code's agent mode search, read files and find symbols in all indexed repositories. This does not open a port.",
      },
      "api.agentMcpServer": {
        type: "boolean",
        default: false,
        scope: "window",
        description:
          "Offer agent mode an MCP server with the same tools, with files as resources, and with prompts, while `#trawl.api.agentTools#` is off. Requires VS Code 1.101.",
      },
    },
  },
  server: {
    title: "Server and Interface",
    settings: {
      "server.path": {
        type: ["string", "null"],
        default: null,
        scope: "machine-overridable",
        description:
          "Absolute path of the `trawl.js` of another server. If empty, this extension's own server is used. Takes effect when the server restarts.",
      },
      "server.url": {
        type: "string",
        default: "",
        scope: "machine",
        description:
          "Address of your team's Trawl server. Its repositories are searched together with those on this computer. Use the command *Trawl: Connect to a Team Server...* to enter it with its API key.",
        pattern:
          "^$|^https://[^\\s/?#@]+(/[^\\s?#]*)?$|^http://(localhost|127(\\.\\d+){3}|\\[::1\\])(:\\d+)?(/[^\\s?#]*)?$",
        patternErrorMessage:
          "Enter a URL such as https://search.example.com. Only a server on this computer may use http://.",
      },
      "trace.server": {
        type: "string",
        default: "off",
        scope: "window",
        description: "How much of the communication with the server is logged to the *Trawl Trace* output.",
        values: { off: "Nothing.", messages: "Names of messages.", verbose: "Messages and their contents." },
      },
      "ui.statusBar": {
        type: "string",
        default: "auto",
        scope: "window",
        description: "When to show the status bar item.",
        values: { auto: "After Trawl has been used in this window.", always: "Always.", never: "Never." },
      },
    },
  },
} as const satisfies Readonly<Record<string, SettingsSection>>;

type Declarations = {
  readonly [Section in keyof typeof settingsSections]: (typeof settingsSections)[Section]["settings"];
}[keyof typeof settingsSections];
/** Every setting by name, without `trawl.`. */
type Settings = UnionToIntersection<Declarations>;
type UnionToIntersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

export type SettingName = keyof Settings & string;

export type SettingValue<Name extends SettingName> = ValueOf<Settings[Name]>;

type ValueOf<Declared> = Declared extends { readonly values: infer Values }
  ? keyof Values
  : Declared extends { readonly type: infer Type }
    ? Type extends readonly ["string", "null"]
      ? string | null
      : Type extends "boolean"
        ? boolean
        : Type extends "array"
          ? readonly string[]
          : Type extends "string"
            ? string
            : number
    : never;
