/** Declares the commands of saved searches and of the search history. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const savedSearchCommands = {
  "search.save": {
    title: "Save Search...",
    icon: "$(save)",
    enablement: "trawl.hasResults",
    palette: "trawl.hasResults",
    menus: { "view/title": [{ when: "view == trawl.search", group: "1_search@1" }] },
  },
  "search.openSaved": { title: "Open Saved Search...", palette: "trawl.used" },
  "search.runSaved": {
    title: "Run Search",
    icon: "$(play)",
    palette: false,
    menus: {
      "view/item/context": [{ when: "view == trawl.saved && viewItem =~ /\\bsearch\\b/", group: "inline@1" }],
    },
  },
  "search.deleteSaved": {
    title: "Delete Saved Search",
    icon: "$(trash)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.saved && viewItem =~ /\\b(mine|recent)\\b/", group: "inline@2" },
      ],
    },
  },
  "search.history": {
    title: "Search History...",
    icon: "$(history)",
    palette: "trawl.used",
    menus: {
      "view/title": [
        { when: "view == trawl.search", group: "1_search@2" },
        { when: "view == trawl.saved", group: "navigation@1" },
      ],
    },
  },
  "search.clearHistory": {
    title: "Clear Search History",
    icon: "$(clear-all)",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.saved", group: "1_history@1" }] },
  },
} as const satisfies CommandDeclarations;
