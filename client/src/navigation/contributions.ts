/** Declares the commands that go to definitions, references, symbols and files. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const navigationCommands = {
  "nav.definition": {
    title: "Go to Definition in All Repositories",
    palette: "editorIsOpen",
    menus: { "trawl.editor": [{ group: "1_navigation@1" }] },
  },
  "nav.peekDefinition": {
    title: "Peek Definition in All Repositories",
    palette: false,
    menus: { "trawl.editor": [{ group: "1_navigation@2" }] },
  },
  "nav.references": {
    title: "Find All References in All Repositories",
    palette: "editorIsOpen",
    menus: { "trawl.editor": [{ group: "1_navigation@3" }] },
  },
  "nav.symbol": { title: "Go to Symbol in All Repositories..." },
  "nav.file": { title: "Go to File in All Repositories..." },
} as const satisfies CommandDeclarations;
