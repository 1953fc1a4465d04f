/** The commands, their flags and their help. */
import { mcpClients } from "#agents/clientConfiguration";
import { editorFlags } from "./editorFlags";
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

const globalFlags: readonly Flag[] = [
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
const databaseFlag: Flag = {
  name: "database",
  value: "URL",
  description:
    "Store members, keys and audit records in this PostgreSQL database (postgres://...) instead of in the data directory.",
};

/** For commands that index. */
const dependenciesFlag: Flag = {
  name: "dependencies",
  value: "on|off",
  description:
    "Whether to index the packages that lock files name and that are on this computer. Default: on.",
};

const serve: Command = {
  name: "serve",
  summary: "index repositories, keep them current, and answer searches over HTTP or LSP",
  usage: "trawl serve [flags] [PATH...]",
  description: [
    "Each PATH is a git repository, a folder that contains repositories (searched four levels deep), or a plain " +
      "folder of files. Trawl remembers them for the next start. Without a PATH, and with nothing remembered, it " +
      "indexes the current folder.",
    'Prints "Listening on URL" when it accepts requests, and "Ready" when everything is indexed. Searches before ' +
      "that cover what is already indexed, and say so.",
    "If another Trawl already serves the same data directory, that one indexes the paths.",
  ],
  flags: [
    {
      name: "port",
      value: "N",
      description: "Listen on port N. Default: 4878, or the next free port. 0 chooses any free port.",
    },
    { name: "host", value: "H", description: "Listen on address H. Default: 127.0.0.1." },
    {
      name: "anonymous",
      value: "on|off",
      description:
        "Whether to answer requests without credentials. Default: on if only this computer can connect.",
    },
    { name: "public-url", value: "URL", description: "Base URL of links in responses." },
    {
      name: "allowed-host",
      value: "H",
      isRepeatable: true,
      description: "Also accept requests for this host name. Repeatable.",
    },
    {
      name: "allowed-origin",
      value: "O",
      isRepeatable: true,
      description: "Also accept requests from web pages of this origin. Repeatable.",
    },
    dependenciesFlag,
    databaseFlag,
    ...editorFlags,
    ...globalFlags,
  ],
  examples: [
    ["trawl serve ~/src", "serves every repository under ~/src at http://127.0.0.1:4878"],
    ["trawl serve --port 8080 ~/src/api ~/src/web", "serves two repositories on another port"],
    ["trawl serve --stdio", "runs as a language server that indexes the editor's folders"],
  ],
  exitCodes: [
    [0, "stopped by SIGINT, SIGTERM or the editor"],
    [1, "could not start or continue"],
    [2, "invalid flags or configuration"],
  ],
};

const index: Command = {
  name: "index",
  summary: "index repositories, print statistics, and exit",
  usage: "trawl index [flags] PATH...",
  description: [
    "Updates the index of each PATH and remembers the path. Skips unchanged repositories. If a Trawl already serves " +
      "the data directory, that one does the indexing.",
  ],
  flags: [
    { name: "json", description: "Print the statistics as JSON." },
    { name: "no-symbols", description: "Do not find definitions; the next trawl serve does that." },
    dependenciesFlag,
    ...globalFlags,
  ],
  examples: [["trawl index ~/src", "indexes every repository under ~/src"]],
  exitCodes: [
    [0, "all repositories are indexed"],
    [1, "at least one repository failed; the others are indexed"],
    [2, "invalid flags or configuration"],
  ],
};

const search: Command = {
  name: "search",
  summary: "search everything that is indexed",
  usage: "trawl search [flags] QUERY...",
  description: [
    "Spaces separate terms, also in regular expressions (use \\s there); all must occur in a file's text or name. " +
      'Terms: plain text, "a phrase", file:*.ts, repo:name, lang:go, rev:v1.2, case:yes, -file:test, (a or b).',
    "The output is colored on a terminal, and plain lines of file:line:text in a pipe.",
  ],
  flags: [
    { name: "regex", short: "e", description: "Terms are regular expressions (RE2 syntax)." },
    { name: "case", short: "s", description: "Match case." },
    {
      name: "matches",
      short: "m",
      value: "N",
      description: "Show at most N matches, 1 to 100000. Default: 500.",
    },
    {
      name: "context",
      short: "C",
      value: "N",
      description: "Also show N lines around each match, 0 to 100.",
    },
    { name: "count", short: "c", description: "Print only the number of matches." },
    {
      name: "count-by",
      value: "PROPERTY",
      description:
        "Count all matches by repo, folder, language, author, symbol or text (what the first group captured, or the match).",
    },
    {
      name: "depth",
      value: "N",
      description: "With --count-by folder: the levels of folders to tell apart.",
    },
    {
      name: "limit",
      value: "N",
      description: "With --count-by: print at most N groups, 1 to 10000. Default: 100.",
    },
    {
      name: "csv",
      description: "With --count-by: print CSV (RFC 4180). Values are exact, also those like formulas.",
    },
    { name: "files", short: "l", description: "Print only file names." },
    {
      name: "json",
      description: "Print the response of POST /api/search, or POST /api/count with --count-by.",
    },
    { name: "agent", description: "Print for an agent: grouped by file, at most 8,000 tokens." },
    ...globalFlags,
  ],
  examples: [
    ["trawl search retryWithBackoff lang:go -file:_test", "text in Go files, except tests"],
    ["trawl search -e 'func\\s+\\w+Handler\\(' repo:api", "a regular expression in one repository"],
    [`trawl search '"if err != nil"' -C 2`, "a phrase, with two lines of context"],
    ["trawl search -l TODO rev:v2.0", "files that contain TODO at a tag"],
    ["trawl search -e 'import \\w+ from \"(.*)\"' --count-by text", "how often each module is imported"],
    ["trawl search --json timeout | jq .stats", "for scripts"],
  ],
  exitCodes: [
    [0, "something was found"],
    [1, "nothing was found"],
    [2, "invalid flags or query, or an error"],
  ],
};

const tool: Command = {
  name: "tool",
  summary: "run one of the tools that agents get over MCP",
  usage: "trawl tool [flags] [NAME [FIELD=VALUE...]]",
  description: [
    "Prints the result as text, at most 8,000 tokens unless maxTokens says otherwise. Arguments are fields of the " +
      "tool, or a JSON object. Without a NAME, lists the tools with their fields.",
  ],
  flags: [
    { name: "json", value: "OBJECT", description: "Arguments as a JSON object." },
    { name: "structured", description: "Print the result as JSON instead of text." },
    ...globalFlags,
  ],
  examples: [
    ["trawl tool grep pattern=retryWithBackoff lang=go", "matches, grouped by file"],
    ["trawl tool uses symbol=Cart repo=shop", "references to a symbol"],
    [
      `trawl tool read --json '{"files": [{"repo": "shop", "path": "src/cart.ts", "symbol": "Cart"}]}'`,
      "one definition",
    ],
  ],
  exitCodes: [
    [0, "the tool ran"],
    [1, "the tool rejected its arguments; standard error says why"],
    [2, "invalid flags, or an error"],
  ],
};

const mcp: Command = {
  name: "mcp",
  summary: "serve agents over the Model Context Protocol",
  usage: "trawl mcp [flags] [PATH...]",
  description: [
    "Speaks MCP on standard input and output, for an agent that starts this command itself. Opens no port and needs no " +
      "key. If a Trawl already serves the data directory, that one answers; otherwise this process indexes and keeps " +
      "the index current while the agent runs.",
    "Also indexes each PATH, and remembers it. Without a PATH, and with nothing remembered, indexes the current folder.",
    "--install adds this command to the user's configuration of an agent. It changes nothing that is already there; if " +
      "it cannot add the command, it prints what to add.",
  ],
  flags: [
    {
      name: "install",
      value: mcpClients.map(({ name }) => name).join("|"),
      description: "Set up this agent.",
    },
    { name: "print", description: "With --install: print what to add, and where, instead." },
    {
      name: "structured",
      description: "Also send results as JSON (structuredContent), for clients that are programs.",
    },
    ...globalFlags,
  ],
  examples: [
    ["trawl mcp --install claude", "sets up Claude Code"],
    ["trawl mcp --install codex --print", "shows what Codex needs"],
    ["trawl mcp", "what agents run"],
  ],
};

const status: Command = {
  name: "status",
  summary: "show what is indexed and its progress",
  usage: "trawl status [flags]",
  description: ["Lists all repositories with their state, and the Trawl process that serves them, if any."],
  flags: [{ name: "json", description: "Print JSON." }, ...globalFlags],
  examples: [["trawl status --json", "for scripts"]],
};

const remove: Command = {
  name: "remove",
  summary: "remove repositories and delete their index",
  usage: "trawl remove [flags] PATH...",
  description: [
    "Removes each PATH and every repository found under it, and deletes their index. Does not change the " +
      "repositories themselves.",
  ],
  flags: globalFlags,
  examples: [["trawl remove ~/src/old", "stops indexing and searching ~/src/old"]],
};

const jsonFlag: Flag = { name: "json", description: "Print JSON." };

const members: Command = {
  name: "members",
  summary: "list, add, remove, promote and demote members of the organization",
  usage: "trawl members [flags] list | add EMAIL | remove|promote|demote MEMBER",
  description: [
    "MEMBER is an email address or an id. Members can have API keys; owners can also read the audit log and manage " +
      "members. The person who first starts an instance is its first owner. The last owner cannot be removed.",
    "Removing a member takes effect at once and revokes their API keys.",
  ],
  flags: [
    { name: "name", value: "NAME", description: "add: name of the member." },
    { name: "owner", description: "add: make the member an owner." },
    jsonFlag,
    databaseFlag,
    ...globalFlags,
  ],
  examples: [
    ["trawl members add --name 'Ada Lovelace' ada@example.com", "adds a member, who can have API keys"],
    ["trawl members remove ada@example.com", "revokes the member's access at once"],
  ],
};

const keys: Command = {
  name: "keys",
  summary: "create, list and revoke API keys",
  usage: "trawl keys [flags] create NAME | list | revoke KEY",
  description: [
    "A program sends its key as Authorization: Bearer KEY, and has the permissions of the key's member. The key " +
      "is printed only once, when it is created: Trawl stores only its hash. To revoke a KEY, use its name or its id.",
  ],
  flags: [
    {
      name: "expires",
      value: "WHEN",
      description: "create: 30d, 4w, 1y, a date, or never (the default).",
    },
    {
      name: "member",
      value: "MEMBER",
      description: "create: owner of the key, by email address or id. Default: you.",
    },
    jsonFlag,
    databaseFlag,
    ...globalFlags,
  ],
  examples: [
    ["trawl keys create --expires 1y 'nightly build'", "creates a key that expires in a year"],
    ["trawl keys revoke 'nightly build'", "revokes the key at once"],
  ],
};

const backup: Command = {
  name: "backup",
  summary: "write members, keys, license and audit log to a file",
  usage: "trawl backup [flags] FILE",
  description: [
    "Writes what cannot be rebuilt, from either kind of database: the organization with its license, its members, " +
      "the hashes of their API keys, and the audit log. The index and the list of repositories (catalogue.json in " +
      "the data directory) are not included. A running Trawl keeps serving.",
  ],
  flags: [databaseFlag, ...globalFlags],
  examples: [["trawl backup /backups/trawl-$(date +%F).gz", "for example, every night"]],
};

const restore: Command = {
  name: "restore",
  summary: "restore members, keys, license and audit log from a backup",
  usage: "trawl restore [flags] FILE",
  description: [
    "Restores all of a backup or nothing. The backup may come from the other kind of database, so the two commands " +
      "can move an instance to PostgreSQL and back. API keys that were revoked after the backup was made become " +
      "valid again.",
    "If the database was lost, Trawl refuses access until you restore a backup. To start over without one, delete " +
      "organization.json in the data directory.",
  ],
  flags: [
    { name: "replace", description: "Replace the existing members, keys and audit records." },
    databaseFlag,
    ...globalFlags,
  ],
  examples: [
    ["trawl restore --database postgres://trawl@db/trawl trawl.gz", "restores into a PostgreSQL database"],
  ],
};

const license: Command = {
  name: "license",
  summary: "show, install or issue the license of an instance",
  usage: "trawl license show|install FILE|reset-clock|issue [flags]",
  description: [
    "A license enables managing members over REST, the audit log, and access tokens of an OAuth issuer. It is " +
      "verified on this computer, without a network connection.",
    "A license is not accepted while the clock shows an earlier time than it has shown before. If the clock was " +
      "ahead then and is correct now, run reset-clock.",
    "issue is for license issuers: it signs a license with a private key (openssl genpkey -algorithm ed25519) and prints it.",
  ],
  flags: [
    { name: "key", value: "FILE", description: "issue: the issuer's private key (PEM)." },
    { name: "organization", value: "NAME", description: "issue: the licensed organization." },
    { name: "expires", value: "DAY", description: "issue: the last day on which the license is valid." },
    { name: "seats", value: "N", description: "issue: maximum number of members. Default: unlimited." },
    {
      name: "feature",
      value: "NAME",
      isRepeatable: true,
      description: "issue: organization, audit or oauth. Repeatable. Default: all.",
    },
    { name: "id", value: "ID", description: "issue: id of the license. Default: the current time." },
    { name: "json", description: "show, install, reset-clock: print JSON." },
    databaseFlag,
    ...globalFlags,
  ],
  examples: [
    ["trawl license install trawl.license", "installs a license"],
    ["trawl license issue --key issuer.pem --organization Example --expires 2027-12-31", "issues a license"],
  ],
  exitCodes: [
    [0, "the license is valid"],
    [1, "there is no license, or it is not valid"],
    [2, "invalid flags, or not a license"],
  ],
};

export const commands: readonly Command[] = [
  serve,
  index,
  search,
  tool,
  mcp,
  status,
  remove,
  members,
  keys,
  license,
  backup,
  restore,
];
