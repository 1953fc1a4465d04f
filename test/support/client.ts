/** The extension's source and manifest, for tests of its rules. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importsOf, projectRoot } from "#test/support/house";

export interface ClientFile {
  /** `/`-separated, below `client/`. */
  readonly path: string;
  readonly text: string;
  /** Import specifiers, as written. */
  readonly imports: readonly string[];
}

export function clientSources(): readonly ClientFile[] {
  const client = join(projectRoot(), "client");
  return readdirSync(client, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => {
      const text = readFileSync(join(client, path), "utf8");
      return { path, text, imports: importsOf(text) };
    });
}

/** Reports whether a file only declares manifest contributions; the extension imports only types from it. */
export function isDeclaration(path: string): boolean {
  return /(?:^|\/)(?:contributions|manifest|settingsTable)(?:\.ts)?$/.test(path);
}

interface Setting {
  readonly type?: unknown;
  readonly default?: unknown;
  readonly scope?: string;
  readonly order?: number;
  readonly markdownDescription?: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
}

export interface MenuItem {
  readonly command?: string;
  readonly submenu?: string;
  readonly when?: string;
  readonly group?: string;
}

interface View {
  readonly id: string;
  readonly name: string;
  readonly type?: string;
  readonly icon?: string;
  readonly when?: string;
}

/** The parts of `package.json` that tests use. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly icon: string;
  readonly activationEvents: readonly string[];
  readonly extensionKind: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
  readonly contributes: {
    readonly viewsContainers: Readonly<Record<string, readonly { readonly icon: string }[]>>;
    readonly views: Readonly<Record<string, readonly View[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly category?: string;
      readonly icon?: string;
    }[];
    readonly submenus: readonly { readonly id: string }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly keybindings: readonly {
      readonly command: string;
      readonly key: string;
      readonly when?: string;
    }[];
    readonly configuration: readonly {
      readonly title: string;
      readonly order: number;
      readonly properties: Readonly<Record<string, Setting>>;
    }[];
    readonly colors: readonly { readonly id: string; readonly defaults: Readonly<Record<string, string>> }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly media: { readonly svg: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
  };
}

export function manifest(): Manifest {
  return JSON.parse(readProjectFile("package.json"));
}

/** Localized strings by the key that the manifest writes between `%`. */
export function manifestTexts(): Readonly<Record<string, string>> {
  return JSON.parse(readProjectFile("package.nls.json"));
}

export function readProjectFile(path: string): string {
  return readFileSync(join(projectRoot(), path), "utf8");
}
