/** Declares the commands of blame, commits, comparisons and authors. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const blameCommands = {
  "blame.toggleFile": {
    title: "Toggle File Blame",
    icon: "$(account)",
    enablement: "trawl.fileIndexed || !trawl.active",
    palette: "trawl.fileIndexed || !trawl.active",
    menus: {
      "editor/title": [{ when: "resourceScheme == trawl", group: "navigation@6" }],
      "trawl.blame": [{ group: "1_show@1" }],
    },
  },
  "blame.hide": {
    title: "Hide Blame",
    palette: false,
    keys: [
      {
        key: "escape",
        when: "editorTextFocus && trawl.blameVisible && !editorHasSelection && !editorHasMultipleSelections && !findWidgetVisible && !suggestWidgetVisible && !parameterHintsVisible && !renameInputVisible && !inSnippetMode && !inReferenceSearchEditor && !referenceSearchVisible && !editorHoverVisible && !markersNavigationVisible && !dirtyDiffVisible && !inlineSuggestionVisible && !notificationToastsVisible && (!vim.active || vim.mode == 'Normal')",
      },
    ],
  },
  "blame.continue": {
    title: "Continue Blame",
    palette: false,
    menus: { "trawl.blame": [{ when: "trawl.blameStopped", group: "3_more@1" }] },
  },
  "blame.toggleInline": {
    title: "Toggle Inline Blame",
    palette: false,
    menus: { "trawl.blame": [{ group: "1_show@2" }] },
  },
  "blame.options": {
    title: "Blame Options...",
    palette: false,
    menus: {
      "editor/title": [{ when: "trawl.blameVisible", group: "3_blame@1" }],
      "trawl.blame": [{ group: "1_show@3" }],
    },
  },
  "blame.before": {
    title: "Blame Before This Change",
    icon: "$(debug-step-back)",
    enablement: "trawl.canReblame",
    palette: false,
    menus: {
      "editor/title": [{ when: "trawl.blameVisible && trawl.canReblame", group: "navigation@5" }],
      "trawl.blame": [{ group: "2_line@1" }],
    },
  },
  "blame.openDiff": {
    title: "Show What Changed This Line",
    palette: false,
    menus: { "trawl.blame": [{ group: "2_line@2" }] },
  },
  "blame.openCommit": {
    title: "Open Commit of This Line",
    palette: false,
    menus: { "trawl.blame": [{ group: "2_line@3" }] },
  },
  "blame.openOnHost": {
    title: "Open Commit of This Line on Code Host",
    palette: false,
    menus: { "trawl.blame": [{ group: "2_line@4" }] },
  },
  "blame.copyHash": {
    title: "Copy Commit SHA",
    palette: false,
    menus: { "trawl.blame": [{ group: "2_line@5" }] },
  },
} as const satisfies CommandDeclarations;

export const commitCommands = {
  "commit.open": {
    title: "Open Commit...",
    palette: "trawl.used",
  },
  "commit.show": {
    title: "Open Commit",
    palette: false,
    menus: {
      "view/item/context": [{ when: "view == trawl.results && viewItem == commit", group: "1_open@1" }],
    },
  },
  "commit.openChanges": {
    title: "Open All Changes",
    icon: "$(diff-multiple)",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.commit", group: "navigation@1" }],
      "view/item/context": [
        { when: "view =~ /^trawl\\.(commits?|compare)$/ && viewItem =~ /\\bcommit\\b/", group: "inline@3" },
        { when: "view =~ /^trawl\\.(commits?|compare)$/ && viewItem =~ /\\bcommit\\b/", group: "1_open@1" },
        { when: "view == trawl.commit && viewItem == changes", group: "inline@1" },
        { when: "view == trawl.results && viewItem == commit", group: "inline@1" },
        { when: "view == trawl.results && viewItem == commit", group: "1_open@2" },
      ],
    },
  },
  "commit.copyHash": {
    title: "Copy Commit SHA",
    icon: "$(copy)",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.commit", group: "navigation@2" }],
      "view/item/context": [
        { when: "view =~ /^trawl\\.(commits?|compare)$/ && viewItem =~ /\\bcommit\\b/", group: "5_copy@1" },
        { when: "view == trawl.results && viewItem == commit", group: "5_copy@1" },
      ],
    },
  },
  "commit.copyMessage": {
    title: "Copy Commit Message",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.commit", group: "5_copy@1" }],
      "view/item/context": [
        { when: "view =~ /^trawl\\.(commits?|compare)$/ && viewItem =~ /\\bcommit\\b/", group: "5_copy@2" },
        { when: "view == trawl.results && viewItem == commit", group: "5_copy@2" },
      ],
    },
  },
  "commit.openOnHost": {
    title: "Open Commit on Code Host",
    icon: "$(globe)",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.commit", group: "navigation@3" }],
      "view/item/context": [
        { when: "view =~ /^trawl\\.(commits?|compare)$/ && viewItem =~ /\\bcommit\\b/", group: "1_open@4" },
        { when: "view == trawl.results && viewItem == commit", group: "1_open@4" },
      ],
    },
  },
  "commit.compareWithHead": {
    title: "Compare with HEAD",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.commit", group: "1_compare@1" }],
      "view/item/context": [
        { when: "view =~ /^trawl\\.(commits?|compare)$/ && viewItem =~ /\\bcommit\\b/", group: "1_open@3" },
        { when: "view == trawl.results && viewItem == commit", group: "1_open@3" },
      ],
    },
  },
  "commit.openFile": {
    title: "Open File at Commit",
    icon: "$(go-to-file)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view =~ /^trawl\\.(commits|compare)$/ && viewItem =~ /\\bfile\\b/", group: "inline@2" },
        { when: "view =~ /^trawl\\.(commit|compare)$/ && viewItem == change", group: "inline@1" },
        { when: "view =~ /^trawl\\.(commit|compare)$/ && viewItem == change", group: "1_open@1" },
      ],
    },
  },
  "commit.openFileChanges": {
    title: "Open Changes of This File",
    icon: "$(diff)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view =~ /^trawl\\.(commits|compare)$/ && viewItem =~ /\\bfile\\b/", group: "inline@1" },
      ],
    },
  },
} as const satisfies CommandDeclarations;

export const historyCommands = {
  "history.file": {
    title: "Show File History",
    icon: "$(history)",
    palette: "trawl.fileIndexed || !trawl.active",
    menus: {
      "view/item/context": [
        { when: "view =~ /^trawl\\.(commit|compare)$/ && viewItem == change", group: "1_open@2" },
        { when: "view == trawl.repositories && viewItem == 'location file'", group: "3_history@1" },
      ],
      "trawl.editor": [{ when: "trawl.fileIndexed", group: "3_history@1" }],
      "editor/title": [{ when: "resourceScheme == trawl", group: "3_history@1" }],
    },
  },
  "history.folder": {
    title: "Show Folder History",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem == 'location folder'", group: "3_history@1" },
      ],
    },
  },
  "history.selection": {
    title: "Show Line History",
    palette: "(trawl.fileIndexed || !trawl.active) && editorHasSelection",
    menus: { "trawl.editor": [{ when: "trawl.fileIndexed && editorHasSelection", group: "3_history@2" }] },
  },
  "history.repository": {
    title: "Show Repository History...",
  },
  "history.show": {
    title: "Show Repository History",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/", group: "2_history@1" },
        { when: "view == trawl.repositories && viewItem == 'location revision'", group: "3_history@1" },
      ],
    },
  },
  "history.searchCommits": { title: "Search Commits...", palette: "trawl.used" },
  "history.filter": {
    title: "Filter Commits...",
    icon: "$(filter)",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.commits", group: "navigation@2" }] },
  },
  "history.clearFilters": {
    title: "Remove All Filters",
    icon: "$(clear-all)",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.commits && trawl.commitsFiltered", group: "navigation@3" }],
    },
  },
  "history.refresh": {
    title: "Refresh Commits",
    icon: "$(refresh)",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.commits", group: "navigation@4" }] },
  },
  "history.stop": {
    title: "Stop",
    icon: "$(debug-stop)",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.commits && trawl.commitsBusy", group: "navigation@1" }] },
  },
  "compare.revisions": {
    title: "Compare Revisions...",
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/", group: "2_history@2" },
        { when: "view == trawl.repositories && viewItem == 'location revision'", group: "3_history@2" },
      ],
    },
  },
  "compare.chooseRevision": {
    title: "Choose Another Revision...",
    icon: "$(edit)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.compare && viewItem == side", group: "inline@1" },
        { when: "view == trawl.compare && viewItem == side", group: "1_open@1" },
      ],
    },
  },
  "compare.swap": {
    title: "Swap Revisions",
    icon: "$(arrow-swap)",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.compare", group: "navigation@2" }] },
  },
  "compare.toggleDots": {
    title: "Toggle Changes Since Common Ancestor (A...B)",
    icon: "$(git-compare)",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.compare", group: "navigation@3" }] },
  },
  "compare.choosePath": {
    title: "Limit Comparison to Path...",
    icon: "$(filter)",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.compare", group: "navigation@4" }] },
  },
  "compare.openAll": {
    title: "Open All Differences",
    icon: "$(diff-multiple)",
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.compare", group: "navigation@1" }],
      "view/item/context": [{ when: "view == trawl.compare && viewItem == comparison", group: "inline@1" }],
    },
  },
  "authors.show": {
    title: "Show Authors",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/", group: "2_history@3" },
        {
          when: "view == trawl.repositories && viewItem =~ /^location (file|folder|revision)$/",
          group: "3_history@3",
        },
      ],
      "editor/title": [{ when: "resourceScheme == trawl", group: "3_history@2" }],
    },
  },
} as const satisfies CommandDeclarations;
