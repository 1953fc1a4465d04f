/** Declares the commands of the Results view and of results documents. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const resultsDocumentCommands = {
  "search.openResultsEditor": {
    title: "Open Results in Editor",
    icon: "$(go-to-file)",
    enablement: "trawl.hasResults",
    palette: "trawl.hasResults",
    menus: { "view/title": [{ when: "view == trawl.search", group: "navigation@3" }] },
  },
  "results.save": {
    title: "Save Results to File",
    icon: "$(save)",
    palette: false,
    menus: { "editor/title": [{ when: "resourceScheme == trawl-results", group: "navigation@0" }] },
    keys: [{ key: "ctrl+s", mac: "cmd+s", when: "resourceScheme == trawl-results && editorTextFocus" }],
  },
  "results.rerun": {
    title: "Run Again",
    icon: "$(refresh)",
    palette: false,
    menus: { "editor/title": [{ when: "resourceLangId == trawl-results", group: "navigation@1" }] },
  },
  "results.moreContext": {
    title: "More Context",
    icon: "$(add)",
    palette: false,
    menus: { "editor/title": [{ when: "resourceLangId == trawl-results", group: "navigation@3" }] },
  },
  "results.lessContext": {
    title: "Less Context",
    icon: "$(remove)",
    palette: false,
    menus: { "editor/title": [{ when: "resourceLangId == trawl-results", group: "navigation@2" }] },
  },
} as const satisfies CommandDeclarations;

export const resultCommands = {
  "search.pin": {
    title: "Pin Result Set",
    icon: "$(pin)",
    enablement: "trawl.hasResults",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.results", group: "navigation@2" }] },
  },
  "search.unpin": {
    title: "Remove Pinned Result Set",
    icon: "$(close)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.results && viewItem =~ /\\bpinned\\b/", group: "inline@9" },
      ],
    },
  },
  "search.next": {
    title: "Go to Next Result",
    enablement: "trawl.hasResults",
    palette: false,
    keys: [
      {
        key: "f4",
        when: "trawl.resultsActive && !searchViewletFocus && !inSearchEditor && !(reference-list.hasResult && view.references-view.tree.visible)",
      },
    ],
  },
  "search.previous": {
    title: "Go to Previous Result",
    enablement: "trawl.hasResults",
    palette: false,
    keys: [
      {
        key: "shift+f4",
        when: "trawl.resultsActive && !searchViewletFocus && !inSearchEditor && !(reference-list.hasResult && view.references-view.tree.visible)",
      },
    ],
  },
  "search.open": {
    title: "Open",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.results && viewItem =~ /\\b(line|file)\\b/", group: "navigation@1" },
      ],
    },
    keys: [{ key: "enter", when: "focusedView == trawl.results && listFocus && !inputFocus" }],
  },
  "search.preview": { title: "Preview", palette: false },
  "search.selectLast": { title: "Select Only the Last Selected Row", palette: false },
  "search.showMore": { title: "Show More", palette: false },
  "search.openToSide": {
    title: "Open to the Side",
    icon: "$(split-horizontal)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.results && viewItem =~ /\\b(line|file)\\b/", group: "navigation@2" },
      ],
    },
    keys: [
      {
        key: "ctrl+enter",
        mac: "cmd+enter",
        when: "focusedView == trawl.results && listFocus && !inputFocus",
      },
    ],
  },
  "search.openSnapshot": {
    title: "Open Snapshot at Indexed Commit",
    icon: "$(git-commit)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.results && viewItem =~ /\\b(line|file)\\b/", group: "inline@1" },
        { when: "view == trawl.results && viewItem =~ /\\b(line|file)\\b/", group: "navigation@3" },
      ],
    },
  },
  "search.openOnHost": {
    title: "Open on Code Host",
    palette: false,
    menus: {
      "view/item/context": [
        {
          when: "view == trawl.results && viewItem =~ /\\b(line|file|repository)\\b/",
          group: "navigation@4",
        },
      ],
    },
  },
  "search.fileHistory": {
    title: "Show File History",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.results && viewItem =~ /\\b(line|file)\\b/", group: "3_history@1" },
      ],
    },
  },
  "search.blame": {
    title: "Blame",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.results && viewItem =~ /\\b(line|file)\\b/", group: "3_history@2" },
      ],
    },
  },
  "search.copyPath": {
    title: "Copy Path",
    palette: false,
    menus: {
      "view/item/context": [
        {
          when: "view == trawl.results && viewItem =~ /\\b(line|file|folder|repository)\\b/",
          group: "5_copy@2",
        },
      ],
    },
  },
  "search.copyMatch": {
    title: "Copy Line",
    palette: false,
    menus: {
      "view/item/context": [{ when: "view == trawl.results && viewItem =~ /\\bline\\b/", group: "5_copy@1" }],
    },
    keys: [{ key: "ctrl+c", mac: "cmd+c", when: "focusedView == trawl.results && listFocus && !inputFocus" }],
  },
  "search.excludeFile": {
    title: "This File",
    palette: false,
    menus: { "trawl.exclude": [{ when: "viewItem =~ /\\b(line|file)\\b/", group: "1@1" }] },
  },
  "search.excludeFolder": {
    title: "This Folder",
    palette: false,
    menus: { "trawl.exclude": [{ when: "viewItem =~ /\\b(line|file|folder)\\b/", group: "1@2" }] },
  },
  "search.excludeRepository": {
    title: "This Repository",
    palette: false,
    menus: { "trawl.exclude": [{ group: "1@3" }] },
  },
  "search.excludeExtension": {
    title: "Files with This Extension",
    palette: false,
    menus: { "trawl.exclude": [{ when: "viewItem =~ /\\b(line|file)\\b/", group: "1@4" }] },
  },
  "search.excludeTests": { title: "Tests", palette: false, menus: { "trawl.exclude": [{ group: "1@5" }] } },
  "search.onlyFile": {
    title: "This File",
    palette: false,
    menus: { "trawl.only": [{ when: "viewItem =~ /\\b(line|file)\\b/", group: "1@1" }] },
  },
  "search.onlyFolder": {
    title: "This Folder",
    palette: false,
    menus: { "trawl.only": [{ when: "viewItem =~ /\\b(line|file|folder)\\b/", group: "1@2" }] },
  },
  "search.onlyRepository": {
    title: "This Repository",
    palette: false,
    menus: { "trawl.only": [{ group: "1@3" }] },
  },
  "search.dismiss": {
    title: "Dismiss",
    icon: "$(close)",
    palette: false,
    menus: {
      "view/item/context": [
        {
          when: "view == trawl.results && viewItem =~ /\\b(line|file|folder|repository)\\b/",
          group: "inline@9",
        },
        {
          when: "view == trawl.results && viewItem =~ /\\b(line|file|folder|repository)\\b/",
          group: "7_dismiss@1",
        },
      ],
    },
    keys: [
      {
        key: "delete",
        mac: "cmd+backspace",
        when: "focusedView == trawl.results && listFocus && !inputFocus",
      },
    ],
  },
  "search.sort": {
    title: "Sort Results By...",
    icon: "$(list-ordered)",
    enablement: "trawl.hasResults",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.results", group: "navigation@1" }] },
  },
  "search.filterBy": {
    title: "Filter By...",
    icon: "$(filter)",
    enablement: "trawl.hasResults",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.results", group: "navigation@0" }] },
  },
  "search.viewAsTree": {
    title: "View as Tree",
    icon: "$(list-tree)",
    enablement: "trawl.hasResults",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.results && !trawl.resultsAsTree", group: "navigation@3" }],
    },
  },
  "search.viewAsList": {
    title: "View as List",
    icon: "$(list-flat)",
    enablement: "trawl.hasResults",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.results && trawl.resultsAsTree", group: "navigation@3" }],
    },
  },
  "search.collapseAll": {
    title: "Collapse All",
    icon: "$(collapse-all)",
    enablement: "trawl.hasResults",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.results && !trawl.resultsCollapsed", group: "navigation@4" }],
    },
  },
  "search.expandAll": {
    title: "Expand All",
    icon: "$(expand-all)",
    enablement: "trawl.hasResults",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.results && trawl.resultsCollapsed", group: "navigation@4" }],
    },
  },
} as const satisfies CommandDeclarations;

export const copyCommands = {
  "search.copyAs": {
    title: "Copy Results As...",
    icon: "$(copy)",
    enablement: "trawl.hasResults",
    palette: "trawl.hasResults",
    menus: {
      "view/title": [
        { when: "view == trawl.search", group: "2_copy@1" },
        { when: "view == trawl.results", group: "2_copy@1" },
      ],
    },
  },
  "search.explain": {
    title: "Explain Last Search",
    enablement: "trawl.hasResults",
    palette: "trawl.hasResults",
    menus: { "view/title": [{ when: "view == trawl.search", group: "3_help@1" }] },
  },
  "api.copyCall": {
    title: "Copy as API Call",
    palette: false,
    menus: {
      "view/title": [
        { when: "view == trawl.search", group: "2_copy@2" },
        { when: "view == trawl.repositories", group: "2_copy@1" },
      ],
      "view/item/context": [
        { when: "view == trawl.results && viewItem =~ /\\b(line|file|repository)\\b/", group: "5_copy@3" },
        {
          when: "view == trawl.repositories && viewItem =~ /^location (file|folder|revision)$/",
          group: "5_copy@3",
        },
        { when: "view =~ /^trawl\\.(commits?|compare|authors)$/ && viewItem", group: "5_copy@3" },
      ],
      "editor/title": [{ when: "resourceScheme == trawl", group: "1_trawl@4" }],
    },
  },
} as const satisfies CommandDeclarations;
