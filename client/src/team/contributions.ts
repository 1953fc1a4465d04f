/** Declares the commands of the team's server. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const teamCommands = {
  "server.connect": {
    title: "Connect to a Team Server...",
    icon: "$(cloud)",
    palette: "trawl.used",
    menus: { "view/title": [{ when: "view == trawl.repositories", group: "1_add@3" }] },
  },
  "server.logIn": {
    title: "Log In to the Team Server Again",
    icon: "$(sign-in)",
    // Results that lack those of the server offer it.
    palette: false,
  },
  "server.disconnect": {
    title: "Disconnect from the Team Server",
    // The Command Palette is short: the status menu and the view list it.
    palette: false,
    menus: {
      "view/title": [{ when: "view == trawl.repositories && trawl.hasTeamServer", group: "1_add@4" }],
    },
  },
} as const satisfies CommandDeclarations;
