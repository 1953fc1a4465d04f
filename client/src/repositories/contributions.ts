/** Declares the commands of the Repositories view. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const repositoryCommands = {
  "repos.addFolder": {
    title: "Add Folder...",
    icon: "$(add)",
    menus: { "view/title": [{ when: "view == trawl.repositories", group: "navigation@1" }] },
  },
  "repos.addSiblings": {
    title: "Index Sibling Repositories...",
    icon: "$(add)",
    palette: "trawl.used",
    menus: {
      "view/title": [{ when: "view == trawl.repositories", group: "1_add@1" }],
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem == siblings", group: "inline@1" },
      ],
    },
  },
  "repos.refresh": {
    title: "Refresh",
    icon: "$(refresh)",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.repositories", group: "navigation@2" }] },
  },
  "repos.reindex": {
    title: "Reindex...",
    palette: "trawl.used",
    menus: {
      "view/title": [{ when: "view == trawl.repositories", group: "1_add@2" }],
      "view/item/context": [
        {
          when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/ && !(viewItem =~ /\\bonServer\\b/)",
          group: "1_index@1",
        },
      ],
    },
  },
  "repos.pause": {
    title: "Pause Indexing",
    icon: "$(debug-pause)",
    enablement: "!trawl.paused",
    palette: "trawl.used && !trawl.paused",
    menus: { "view/title": [{ when: "view == trawl.repositories && !trawl.paused", group: "navigation@3" }] },
  },
  "repos.resume": {
    title: "Resume Indexing",
    icon: "$(play)",
    enablement: "trawl.paused",
    palette: "trawl.paused",
    menus: { "view/title": [{ when: "view == trawl.repositories && trawl.paused", group: "navigation@3" }] },
  },
  "repos.remove": {
    title: "Remove from Index...",
    icon: "$(trash)",
    palette: false,
    menus: {
      "view/item/context": [
        {
          when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/ && !(viewItem =~ /\\bonServer\\b/)",
          group: "9_remove@1",
        },
      ],
    },
  },
  "repos.showSkipped": {
    title: "Show Skipped Files",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/", group: "1_index@2" },
      ],
    },
  },
  "repos.openFolder": {
    title: "Open Folder in New Window",
    icon: "$(empty-window)",
    palette: false,
    menus: {
      "view/item/context": [
        {
          when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/ && viewItem =~ /\\bclone\\b/",
          group: "navigation@2",
        },
      ],
    },
  },
  "repos.clone": {
    title: "Clone...",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem =~ /\\bmirror\\b/", group: "4_host@1" },
        { when: "view == trawl.hosts && viewItem =~ /\\bmirrored\\b/", group: "4_host@1" },
        {
          when: "view == trawl.results && trawl.hasMirrors && viewItem =~ /\\brepository\\b/",
          group: "navigation@5",
        },
      ],
    },
  },
  "repos.openOnHost": {
    title: "Open on Code Host",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem =~ /\\bonHost\\b/", group: "4_host@2" },
        { when: "view == trawl.hosts && viewItem =~ /\\bmirrored\\b/", group: "4_host@2" },
      ],
    },
  },
  "repos.copyName": {
    title: "Copy Name",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem =~ /\\brepository\\b/", group: "5_copy@1" },
      ],
    },
  },
  "repos.copyPath": {
    title: "Copy Path",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.repositories && viewItem =~ /^location (file|folder)$/", group: "5_copy@2" },
      ],
    },
  },
} as const satisfies CommandDeclarations;
