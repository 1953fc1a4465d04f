/**
 * How rooms declare their commands for the manifest, and the type of the handlers that a declaration requires.
 *
 * Declarations are data for `manifest.ts`. The extension imports only their types, so they add nothing to its bundle.
 */

/** Menus of VS Code, and submenus of this extension. */
export type MenuId =
  | "view/title"
  | "view/item/context"
  | "editor/title"
  | "editor/context"
  | "explorer/context"
  | SubmenuId;

export type SubmenuId = "trawl.editor" | "trawl.blame" | "trawl.exclude" | "trawl.only";

export interface MenuPlacement {
  /** A when clause; default: always. */
  readonly when?: string;
  readonly group: string;
}

export type Menus = { readonly [Menu in MenuId]?: readonly MenuPlacement[] };

export interface Keybinding {
  readonly key: string;
  readonly mac?: string;
  readonly when?: string;
}

export interface CommandDeclaration {
  readonly title: string;
  readonly icon?: string;
  /** A when clause. */
  readonly enablement?: string;
  /** When the Command Palette lists it, as a when clause; default: always. */
  readonly palette?: string | false;
  readonly menus?: Menus;
  readonly keys?: readonly Keybinding[];
  /** VS Code itself handles the command, such as `focus` of every view. */
  readonly isBuiltIn?: true;
}

/** By id, without `trawl.`. */
export type CommandDeclarations = Readonly<Record<string, CommandDeclaration>>;

/** What VS Code passes to a handler depends on where the command was invoked. */
export type Handler = (...values: never[]) => unknown;

/** One handler for each declared command, and no other. */
export type Handlers<Declared extends CommandDeclarations> = {
  readonly [Id in keyof Declared as Declared[Id] extends { readonly isBuiltIn: true } ? never : Id]: Handler;
};
