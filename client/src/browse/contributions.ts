/** Declares the commands that browse files at revisions. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const snapshotCommands = {
  "browse.openLocal": {
    title: "Open Local File",
    icon: "$(go-to-file)",
    palette: false,
    menus: { "editor/title": [{ when: "resourceScheme == trawl", group: "navigation@1" }] },
  },
} as const satisfies CommandDeclarations;

export const browseCommands = {
  "browse.repository": {
    title: "Browse Repository...",
    icon: "$(list-tree)",
    menus: {
      "view/title": [{ when: "view == trawl.repositories", group: "1_add@3" }],
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/", group: "navigation@3" },
        { when: "view == trawl.hosts && viewItem =~ /\\bmirrored\\b/", group: "navigation@3" },
      ],
    },
  },
  "browse.fileAtRevision": {
    title: "Open File at Revision...",
    palette: "trawl.fileIndexed || !trawl.active",
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem == 'location file'", group: "2_compare@2" },
        { when: "view == trawl.results && viewItem =~ /\\b(line|file)\\b/", group: "navigation@5" },
      ],
      "trawl.editor": [{ when: "trawl.fileIndexed", group: "2_browse@1" }],
    },
  },
  "browse.changeRevision": {
    title: "Change Revision...",
    icon: "$(history)",
    palette: false,
    menus: { "editor/title": [{ when: "resourceScheme == trawl", group: "navigation@2" }] },
  },
  "browse.compareFile": {
    title: "Compare File With...",
    icon: "$(diff)",
    palette: "trawl.fileIndexed || !trawl.active",
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem == 'location file'", group: "2_compare@1" },
        { when: "view == trawl.results && viewItem =~ /\\b(line|file)\\b/", group: "navigation@6" },
      ],
      "trawl.editor": [{ when: "trawl.fileIndexed", group: "2_browse@2" }],
      "editor/title": [{ when: "resourceScheme == trawl", group: "navigation@3" }],
    },
  },
  "browse.openOnHost": {
    title: "Open on Code Host",
    icon: "$(link-external)",
    palette: "trawl.used && trawl.fileIndexed",
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem == 'location file'", group: "4_host@1" },
      ],
      "trawl.editor": [{ when: "trawl.fileIndexed", group: "2_browse@3" }],
      "editor/title": [{ when: "resourceScheme == trawl", group: "1_trawl@2" }],
    },
  },
  "browse.copyPermalink": {
    title: "Copy Permalink",
    palette: "trawl.used && trawl.fileIndexed",
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem == 'location file'", group: "5_copy@1" },
        { when: "view == trawl.results && viewItem =~ /\\b(line|file)\\b/", group: "5_copy@4" },
      ],
      "trawl.editor": [{ when: "trawl.fileIndexed", group: "2_browse@4" }],
      "editor/title": [{ when: "resourceScheme == trawl", group: "1_trawl@1" }],
    },
  },
} as const satisfies CommandDeclarations;
