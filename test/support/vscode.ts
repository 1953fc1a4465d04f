/**
 * The parts of VS Code's API that tests need, in place of the module `vscode`. Nothing is displayed. What is registered
 * and shown is ignored; settings, files and commands are those of the constants below.
 */

/** Values of settings, by name; those of Trawl without `trawl.`. */
export const settings: Record<string, unknown> = {};
/** Texts of files, by path. */
export const files = new Map<string, string>();
/** The commands that were executed, with their arguments. */
export const executed: (readonly unknown[])[] = [];

/** The version of VS Code. */
export let version = "1.139.0";

export function setVersion(newVersion: string): void {
  version = newVersion;
}

/** What an MCP server definition provider of the extension offers. */
export interface McpServerProvider {
  readonly onDidChangeMcpServerDefinitions: (listener: () => void) => unknown;
  readonly provideMcpServerDefinitions: () => readonly unknown[];
}

/** The providers that are registered, by id. */
export const mcpServerProviders = new Map<string, McpServerProvider>();

export const lm = {
  registerMcpServerDefinitionProvider(id: string, provider: McpServerProvider) {
    // As VS Code 1.100 does.
    if (version.startsWith("1.100.")) throw new Error("CANNOT use API proposal: mcpConfigurationProvider");
    mcpServerProviders.set(id, provider);
    return { dispose: () => mcpServerProviders.delete(id) };
  },
};

export class McpStdioServerDefinition {
  readonly args: readonly string[];
  readonly version: string;

  constructor(_label: string, _command: string, args: readonly string[], _env: object, version: string) {
    this.args = args;
    this.version = version;
  }
}

export const l10n = {
  t: (message: string, ...values: readonly unknown[]) =>
    message.replace(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)])),
};

export const env = { language: "en" };

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 } as const;

export const FileType = { Unknown: 0, File: 1, Directory: 2 } as const;

export class TreeItem {
  readonly label: unknown;
  readonly collapsibleState: number | undefined;

  constructor(label: unknown, collapsibleState?: number) {
    this.label = label;
    this.collapsibleState = collapsibleState;
  }
}

export class ThemeIcon {
  static readonly File = new ThemeIcon("file");
  static readonly Folder = new ThemeIcon("folder");
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }
}

export class ThemeColor extends ThemeIcon {}

export class Uri {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get fsPath(): string {
    return this.path;
  }

  toString(): string {
    return this.path;
  }

  static readonly file = (path: string) => new Uri(path);
  static readonly parse = (text: string) => new Uri(text);
  static readonly from = ({ path = "" }: { readonly path?: string }) => new Uri(path);
  static readonly joinPath = ({ path }: Uri, ...names: readonly string[]) =>
    new Uri([path, ...names].join("/"));
}

export class Range {}

export class DocumentLink {}

export class CancellationError extends Error {}

export class CancellationTokenSource {
  readonly token = { isCancellationRequested: false };

  cancel(): void {
    this.token.isCancellationRequested = true;
  }

  dispose(): void {}
}

export class FileSystemError extends Error {
  readonly code = "FileNotFound";
}

export class EventEmitter {
  readonly #listeners = new Set<(value: unknown) => void>();

  readonly event = (listener: (value: unknown) => void) => {
    this.#listeners.add(listener);
    return new Disposable();
  };

  fire(value?: unknown): void {
    for (const listener of this.#listeners) listener(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

export class Disposable {
  static readonly from = () => new Disposable();

  dispose(): void {}
}

/** The access tokens of the user's accounts, by provider. */
export const sessions = new Map<string, string>();
export const sessionsChanged = new EventEmitter();

export const authentication = {
  onDidChangeSessions: sessionsChanged.event,
  async getSession(provider: string, _scopes: readonly string[], { silent }: { readonly silent?: boolean }) {
    const accessToken = sessions.get(provider);
    if (accessToken !== undefined) return { accessToken };
    if (silent) return undefined;
    throw new Error("The user canceled it.");
  },
};

/** Adds functions that do nothing, such as those that register something. */
function withDefaults<Known extends object>(known: Known): Known {
  const ignore = () => new Disposable();
  return new Proxy(known, { get: (target, name) => (name in target ? Reflect.get(target, name) : ignore) });
}

export const commands = {
  executeCommand: (...command: readonly unknown[]) => {
    executed.push(command);
    return Promise.resolve();
  },
  registerCommand: () => new Disposable(),
};

export const window = withDefaults({
  activeTextEditor: undefined as unknown,
  activeColorTheme: {},
  visibleTextEditors: [],
  createTreeView: () => withDefaults({ selection: [] as readonly unknown[], visible: false }),
});

export const workspace = withDefaults({
  workspaceFolders: undefined as unknown,
  getConfiguration: (section = "trawl") => ({
    get: (name: string) => settings[section === "trawl" ? name : `${section}.${name}`],
    inspect: () => undefined,
  }),
  fs: {
    createDirectory: () => Promise.resolve(),
    readFile: async ({ path }: Uri) => Buffer.from(textOf(path)),
    writeFile: async ({ path }: Uri, bytes: Uint8Array) => {
      // Takes longer than the others, so that calls which run at the same time undo each other.
      await new Promise(setImmediate);
      files.set(path, Buffer.from(bytes).toString());
    },
    delete: async ({ path }: Uri) => {
      textOf(path);
      files.delete(path);
    },
  },
});

function textOf(path: string): string {
  const text = files.get(path);
  if (text === undefined) throw new FileSystemError();
  return text;
}

export const languages = withDefaults({});
export const ColorThemeKind = {};
export const DecorationRangeBehavior = {};
export const ViewColumn = {};
export const ProgressLocation = {};

export class TabInputText {
  readonly uri: Uri;

  constructor(uri: Uri) {
    this.uri = uri;
  }
}
