/** Declares the commands of the search view. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const searchViewCommands = {
  "search.focus": {
    title: "Focus Search View",
    // VS Code itself lists "Focus on Search View".
    palette: false,
    isBuiltIn: true,
    keys: [{ key: "ctrl+alt+shift+f", mac: "alt+shift+cmd+f" }],
  },
  "search.rerun": {
    title: "Refresh Results",
    icon: "$(refresh)",
    enablement: "trawl.hasResults",
    palette: "trawl.hasResults",
    menus: { "view/title": [{ when: "view == trawl.search && !trawl.searching", group: "navigation@1" }] },
  },
  "search.cancel": {
    title: "Cancel Search",
    icon: "$(stop-circle)",
    enablement: "trawl.searching",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.search && trawl.searching", group: "navigation@1" }] },
    keys: [
      { key: "escape", when: "focusedView == trawl.results && trawl.searching && listFocus && !inputFocus" },
    ],
  },
  "search.clear": {
    title: "Clear Results",
    icon: "$(clear-all)",
    enablement: "trawl.hasResults",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.search", group: "navigation@2" }] },
  },
  "search.inEditor": {
    title: "Open in VS Code Search",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.search", group: "3_vscode@1" }] },
  },
  "search.toggleCase": { title: "Toggle Match Case", palette: false },
  "search.toggleWord": { title: "Toggle Whole Word", palette: false },
  "search.toggleRegex": { title: "Toggle Regular Expression", palette: false },
} as const satisfies CommandDeclarations;

export const searchCommands = {
  "search.selection": {
    title: "Search Selection in All Repositories",
    palette: "editorHasSelection",
    keys: [
      {
        key: "ctrl+alt+shift+f",
        mac: "alt+shift+cmd+f",
        when: "editorTextFocus && editorHasSelection",
      },
    ],
    menus: { "trawl.editor": [{ when: "editorHasSelection", group: "1_search@1" }] },
  },
  "search.symbolAtCursor": {
    title: "Search Symbol at Cursor",
    palette: "editorTextFocus && !editorHasSelection",
    menus: { "trawl.editor": [{ group: "1_search@2" }] },
  },
  "search.inFolder": {
    title: "Find in Folder with Trawl...",
    icon: "$(search)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem == 'location folder'", group: "inline@1" },
        {
          when: "view == trawl.repositories && viewItem =~ /^location (file|folder)$/",
          group: "navigation@1",
        },
      ],
      "explorer/context": [{ when: "explorerResourceIsFolder", group: "4_search@9" }],
      "editor/title": [{ when: "resourceScheme == trawl", group: "1_trawl@3" }],
    },
  },
  "search.inRepository": {
    title: "Search in Repository...",
    icon: "$(search)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/", group: "inline@1" },
        { when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/", group: "navigation@1" },
        { when: "view == trawl.repositories && viewItem == 'location revision'", group: "inline@1" },
        { when: "view == trawl.repositories && viewItem == 'location revision'", group: "navigation@1" },
      ],
    },
  },
} as const satisfies CommandDeclarations;
