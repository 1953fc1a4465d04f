/** Declares the commands of Quick Search. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const quickSearchCommands = {
  "search.quick": { title: "Quick Search..." },
  "search.quickComplete": {
    title: "Complete Quick Search",
    palette: false,
    keys: [{ key: "tab", when: "trawl.quickSearchVisible && inQuickOpen" }],
  },
} as const satisfies CommandDeclarations;
