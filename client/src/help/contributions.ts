/** Declares the commands of the query syntax page. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const syntaxCommands = {
  "search.example": { title: "Try This Query", palette: false },
  "help.syntax": {
    title: "Query Syntax",
    icon: "$(question)",
    palette: "trawl.used",
    menus: { "view/title": [{ when: "view == trawl.search", group: "3_help@2" }] },
  },
} as const satisfies CommandDeclarations;
