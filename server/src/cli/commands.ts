/** What each command takes, as its help tells it. */
import type { Flag } from "./flags";

export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  readonly usage: string;
  /** Paragraphs. */
  readonly text: readonly string[];
  readonly flags: readonly Flag[];
  /** Command lines and what they do. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** What the exit codes mean, where it is more than done and failed. */
  readonly exitCodes?: readonly (readonly [code: number, meaning: string])[];
}

const everywhere: readonly Flag[] = [
  { name: "data-dir", value: "DIR", text: "Where the index lives. By default in your user's data folder." },
  { name: "config", value: "FILE", text: "Read settings from FILE (JSON with comments). Flags win over it." },
  { name: "help", short: "h", text: "Show this help." },
  { name: "version", short: "v", text: "Show the version." },
];

/** For commands that ask about people and keys. */
const databaseFlag: Flag = {
  name: "database",
  value: "URL",
  text: "Keep members, keys and audit records in this PostgreSQL (postgres://...), not in a file of the data folder.",
};

/** What an editor's language client appends to the command line. */
const editorFlags: readonly Flag[] = [
  { name: "stdio", text: "Speak the Language Server Protocol on standard input and output." },
  { name: "node-ipc", hidden: true, text: "Speak it over Node's channel to the parent process." },
  { name: "pipe", value: "NAME", hidden: true, text: "Speak it over this pipe or Unix socket." },
  { name: "socket", value: "PORT", hidden: true, text: "Speak it over this TCP port." },
  { name: "clientProcessId", value: "PID", hidden: true, text: "End when this process ends." },
];

const serve: Command = {
  name: "serve",
  summary: "index repositories, keep them current, and answer searches over HTTP or LSP",
  usage: "trawl serve [flags] [PATH...]",
  text: [
    "Each PATH is a git repository, a folder with repositories in it (searched four levels deep), or a plain " +
      "folder of files. They are remembered: the next start serves them without being told. Without any PATH and " +
      "with nothing remembered, the current folder is taken.",
    'Prints "Listening on URL" as soon as it answers, and "Ready" when everything is indexed. Searches before ' +
      "that are answered from what is already there, and say so.",
    "If another Trawl already serves the same data folder, the paths are handed to it.",
  ],
  flags: [
    { name: "port", value: "N", text: "Listen on port N. Default 4878, or the next free one; 0 takes any." },
    { name: "host", value: "H", text: "Listen on address H. Default 127.0.0.1." },
    {
      name: "anonymous",
      value: "on|off",
      text: "Whether requests without credentials are answered. Default: on while only this computer can connect.",
    },
    { name: "public-url", value: "URL", text: "The address that links in answers start with." },
    {
      name: "allowed-host",
      value: "H",
      many: true,
      text: "Also answer requests for this host name. Repeatable.",
    },
    { name: "allowed-origin", value: "O", many: true, text: "Also answer pages of this origin. Repeatable." },
    databaseFlag,
    ...editorFlags,
    ...everywhere,
  ],
  examples: [
    ["trawl serve ~/src", "every repository under ~/src, at http://127.0.0.1:4878"],
    ["trawl serve --port 8080 ~/src/api ~/src/web", "two repositories, another port"],
    ["trawl serve --stdio", "as a language server; the editor's folders are indexed"],
  ],
  exitCodes: [
    [0, "ended by SIGINT, SIGTERM or the editor"],
    [1, "could not start or go on"],
    [2, "wrong flags or configuration"],
  ],
};

const index: Command = {
  name: "index",
  summary: "index repositories, print statistics, and end",
  usage: "trawl index [flags] PATH...",
  text: [
    "Brings the index of each PATH up to date and remembers it. Unchanged repositories are not read again. If a " +
      "Trawl already serves the data folder, it does the work.",
  ],
  flags: [
    { name: "json", text: "Print the statistics as JSON." },
    { name: "no-symbols", text: "Leave it to the next one that serves to find definitions." },
    ...everywhere,
  ],
  examples: [["trawl index ~/src", "every repository under ~/src"]],
  exitCodes: [
    [0, "all repositories are indexed"],
    [1, "at least one failed; the others are indexed"],
    [2, "wrong flags or configuration"],
  ],
};

const search: Command = {
  name: "search",
  summary: "search everything that is indexed",
  usage: "trawl search [flags] QUERY...",
  text: [
    "Blanks separate terms, also in expressions (write \\s there); each must occur in a file's text or name. " +
      'Terms: plain text, "a phrase", file:*.ts, repo:name, lang:go, rev:v1.2, case:yes, -file:test, (a or b).',
    "On a terminal the answer is coloured; in a pipe it is plain lines of file:line:text.",
  ],
  flags: [
    { name: "regex", short: "e", text: "Terms are regular expressions (RE2 syntax)." },
    { name: "case", short: "s", text: "Capital and small letters differ." },
    { name: "matches", short: "m", value: "N", text: "At most N matches, 1 to 100000. Default 500." },
    { name: "context", short: "C", value: "N", text: "Also show N lines around each match, 0 to 100." },
    { name: "count", short: "c", text: "Print only how many matches there are." },
    { name: "files", short: "l", text: "Print only the files." },
    { name: "json", text: "Print the answer as POST /api/search gives it." },
    ...everywhere,
  ],
  examples: [
    ["trawl search retryWithBackoff lang:go -file:_test", "text in Go files that are no tests"],
    ["trawl search -e 'func\\s+\\w+Handler\\(' repo:api", "a regular expression in one repository"],
    [`trawl search '"if err != nil"' -C 2`, "a phrase, blanks and all, with two lines around it"],
    ["trawl search -l TODO rev:v2.0", "the files that hold it at a tag"],
    ["trawl search --json timeout | jq .stats", "for programs"],
  ],
  exitCodes: [
    [0, "something was found"],
    [1, "nothing was found"],
    [2, "wrong flags or query, or an error"],
  ],
};

const status: Command = {
  name: "status",
  summary: "show what is indexed and how far it is",
  usage: "trawl status [flags]",
  text: ["Lists the remembered repositories with their state, and the Trawl that serves them, if one runs."],
  flags: [{ name: "json", text: "Print it as JSON." }, ...everywhere],
  examples: [["trawl status --json", "for programs"]],
};

const remove: Command = {
  name: "remove",
  summary: "forget repositories and delete their index",
  usage: "trawl remove [flags] PATH...",
  text: [
    "Forgets each PATH with every repository found under it, and deletes their index. The repositories themselves " +
      "are not touched.",
  ],
  flags: everywhere,
  examples: [["trawl remove ~/src/old", "no longer searched"]],
};

const jsonFlag: Flag = { name: "json", text: "Print it as JSON." };

const members: Command = {
  name: "members",
  summary: "list, add, remove, promote and demote members of the organisation",
  usage: "trawl members [flags] list | add EMAIL | remove|promote|demote MEMBER",
  text: [
    "A MEMBER is named by e-mail address or id. Members may have API keys; owners may also see the audit log and " +
      "manage the others. Who started this instance first is its first owner; the last owner stays.",
    "Whoever is removed is locked out at once, with all their API keys.",
  ],
  flags: [
    { name: "name", value: "NAME", text: "With add: the name of the person." },
    { name: "owner", text: "With add: as an owner." },
    jsonFlag,
    databaseFlag,
    ...everywhere,
  ],
  examples: [
    ["trawl members add --name 'Ada Lovelace' ada@example.com", "somebody who may have API keys"],
    ["trawl members remove ada@example.com", "from this moment on they are nobody here"],
  ],
};

const keys: Command = {
  name: "keys",
  summary: "create, list and revoke API keys",
  usage: "trawl keys [flags] create NAME | list | revoke KEY",
  text: [
    "A program shows its key as Authorization: Bearer KEY, and may then do what the key's member may. The key is " +
      "printed once, when it is created: only its hash is kept. A KEY to revoke is named by its name or its id.",
  ],
  flags: [
    { name: "expires", value: "WHEN", text: "With create: 30d, 4w, 1y, a date, or never (the default)." },
    {
      name: "member",
      value: "MEMBER",
      text: "With create: for this member, by e-mail address or id; else for you.",
    },
    jsonFlag,
    databaseFlag,
    ...everywhere,
  ],
  examples: [
    ["trawl keys create --expires 1y 'nightly build'", "a key for a year"],
    ["trawl keys revoke 'nightly build'", "void from this moment on"],
  ],
};

const backup: Command = {
  name: "backup",
  summary: "write members, keys, licence and audit records to a file",
  usage: "trawl backup [flags] FILE",
  text: [
    "Writes what cannot be built again, from whichever database it is in: the organisation with its licence, its " +
      "members, the hashes of their API keys, and the audit log. The index is not in it, nor is the list of " +
      "repositories (catalogue.json in the data folder). A Trawl that runs goes on serving.",
  ],
  flags: [databaseFlag, ...everywhere],
  examples: [["trawl backup /backups/trawl-$(date +%F).gz", "for example every night"]],
};

const restore: Command = {
  name: "restore",
  summary: "take members, keys, licence and audit records from a backup",
  usage: "trawl restore [flags] FILE",
  text: [
    "Takes all of a backup, or nothing of it. The backup may come from the other kind of database: together the two " +
      "commands move an instance to PostgreSQL and back. API keys that were revoked after the backup was made are " +
      "valid again afterwards.",
  ],
  flags: [
    { name: "replace", text: "Forget the members, keys and audit records that are here." },
    databaseFlag,
    ...everywhere,
  ],
  examples: [["trawl restore --database postgres://trawl@db/trawl trawl.gz", "into a PostgreSQL"]],
};

const license: Command = {
  name: "license",
  summary: "show, install or issue the licence of an instance",
  usage: "trawl license show|install FILE|reset-clock|issue [flags]",
  text: [
    "A licence opens the lists of members and of what was done, and access tokens of an OAuth issuer. It is checked " +
      "on this computer; nobody is asked.",
    "A licence does not count while the clock shows an earlier time than it did before. Where it was ahead then, and is " +
      "right now, reset-clock says so.",
    "issue is for makers: it signs a licence with a private key (openssl genpkey -algorithm ed25519) and prints it.",
  ],
  flags: [
    { name: "key", value: "FILE", text: "issue: the maker's private key, in PEM." },
    { name: "organization", value: "NAME", text: "issue: for whom." },
    { name: "expires", value: "DAY", text: "issue: the last day on which it counts." },
    { name: "seats", value: "N", text: "issue: members at most. Default: any number." },
    {
      name: "feature",
      value: "NAME",
      many: true,
      text: "issue: organization, audit or oauth. Repeatable. Default: all.",
    },
    { name: "id", value: "ID", text: "issue: its number. Default: the present time." },
    { name: "json", text: "show, install, reset-clock: print it as JSON." },
    databaseFlag,
    ...everywhere,
  ],
  examples: [
    ["trawl license install trawl.license", "counts from now on"],
    ["trawl license issue --key maker.pem --organization Example --expires 2027-12-31", "prints a licence"],
  ],
  exitCodes: [
    [0, "the licence counts"],
    [1, "there is none, or it does not count"],
    [2, "wrong flags, or no licence"],
  ],
};

export const commands: readonly Command[] = [
  serve,
  index,
  search,
  status,
  remove,
  members,
  keys,
  license,
  backup,
  restore,
];

/** Flags that stand before any command and mean `serve`: some language clients give nothing else. */
export function startsServer(arg: string): boolean {
  return editorFlags.some((flag) => arg === `--${flag.name}` || arg.startsWith(`--${flag.name}=`));
}
