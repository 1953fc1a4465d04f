/** Declares the commands of the server. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const serverCommands = {
  "server.restart": { title: "Restart Server", palette: "trawl.used || trawl.failed" },
  "server.status": { title: "Show Status" },
  "server.showLogs": { title: "Show Logs", palette: "trawl.used || trawl.failed" },
  "server.copyDiagnostics": { title: "Copy Diagnostics", palette: "trawl.used || trawl.failed" },
  "help.walkthrough": { title: "Open Walkthrough" },
  "data.delete": {
    title: "Delete All Data...",
    palette: "trawl.used",
    menus: { "view/title": [{ when: "view == trawl.repositories", group: "9_delete@1" }] },
  },
} as const satisfies CommandDeclarations;
