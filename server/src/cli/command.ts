/** What describes a command, and the flags that several commands have. */
import type { Flag } from "./flags";

export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  readonly usage: string;
  /** Paragraphs. */
  readonly description: readonly string[];
  readonly flags: readonly Flag[];
  /** Command lines and their descriptions. */
  readonly examples: readonly (readonly [line: string, description: string])[];
  /** Absent if 0 means success and any other code failure. */
  readonly exitCodes?: readonly (readonly [code: number, meaning: string])[];
}

export const globalFlags: readonly Flag[] = [
  {
    name: "data-dir",
    value: "DIR",
    description: "Folder of the index. Default: your user's data directory.",
  },
  {
    name: "config",
    value: "FILE",
    description: "Read settings from FILE (JSON with comments). Flags take precedence.",
  },
  { name: "help", short: "h", description: "Show this help." },
  { name: "version", short: "v", description: "Show the version." },
];

/** For commands that use members and keys. */
export const databaseFlag: Flag = {
  name: "database",
  value: "URL",
  description:
    "Store members, keys and audit records in this PostgreSQL database (postgres://...) instead of in the data directory.",
};

export const jsonFlag: Flag = { name: "json", description: "Print JSON." };
