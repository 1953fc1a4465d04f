/** Declares the commands of the Code Hosts view. */
import type { CommandDeclarations } from "#client/workbench/declarations";

const isHost = "view == trawl.hosts && viewItem =~ /\\bhost\\b/";

export const hostCommands = {
  "hosts.add": {
    title: "Add Code Host...",
    icon: "$(add)",
    palette: "trawl.used",
    menus: {
      "view/title": [
        { when: "view == trawl.hosts", group: "navigation@1" },
        { when: "view == trawl.repositories", group: "1_add@0" },
      ],
    },
  },
  "hosts.refresh": {
    title: "Refresh Code Hosts",
    icon: "$(refresh)",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.hosts", group: "navigation@2" }] },
  },
  "hosts.sync": {
    title: "Sync Now",
    icon: "$(sync)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: isHost, group: "inline@1" },
        { when: isHost, group: "1_sync@1" },
      ],
    },
  },
  "hosts.plan": {
    title: "Show Plan",
    palette: false,
    menus: { "view/item/context": [{ when: isHost, group: "1_sync@2" }] },
  },
  "hosts.confirm": {
    title: "Confirm Removals...",
    palette: false,
    menus: {
      "view/item/context": [{ when: `${isHost} && viewItem =~ /\\bunconfirmed\\b/`, group: "1_sync@3" }],
    },
  },
  "hosts.signIn": {
    title: "Sign In Again...",
    icon: "$(key)",
    palette: false,
    menus: { "view/item/context": [{ when: `${isHost} && viewItem =~ /\\bsignIn\\b/`, group: "1_sync@4" }] },
  },
  "hosts.remove": {
    title: "Remove Code Host...",
    palette: false,
    menus: { "view/item/context": [{ when: `${isHost} && viewItem =~ /\\badded\\b/`, group: "5_remove@1" }] },
  },
  "hosts.open": {
    title: "Open Host",
    icon: "$(link-external)",
    palette: false,
    menus: { "view/item/context": [{ when: isHost, group: "4_host@1" }] },
  },
  "hosts.configure": {
    title: "Open Configuration",
    icon: "$(settings-gear)",
    palette: false,
    menus: { "view/item/context": [{ when: isHost, group: "4_host@2" }] },
  },
} as const satisfies CommandDeclarations;
