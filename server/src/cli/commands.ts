/** The commands, their flags and their help. */
import { mcpClients } from "#agents/clientConfiguration";
import { backup, keys, license, members, restore, sessions } from "./accessCommands";
import { type Command, databaseFlag, globalFlags, jsonFlag } from "./command";
import { editorFlags } from "./editorFlags";
import type { Flag } from "./flags";

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
      "folder of files. Trawl remembers them for the next start. Without a PATH, and with nothing remembered and " +
      "no connection to a code host, it indexes the current folder.",
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
    {
      name: "role",
      value: "all|gitserver|frontend|indexer",
      description:
        "What the process is in a cluster. A gitserver serves git repositories to frontends, and needs gitServer in the configuration file; a frontend has none of its own, and needs gitServers; an indexer only indexes for a Zoekt node. Default: all.",
    },
    dependenciesFlag,
    databaseFlag,
    { name: "node", value: "NAME", description: "The node of an indexer, as in the configuration file." },
    { name: "log", value: "json|text", description: "Format of the log on standard error. Default: json." },
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
  flags: [jsonFlag, ...globalFlags],
  examples: [["trawl status --json", "for scripts"]],
};

const doctor: Command = {
  name: "doctor",
  summary: "check whether Trawl can work on this computer, and say what to do if not",
  usage: "trawl doctor [flags]",
  description: [
    "Checks git, Node.js, the data directory, the disk, the clock, the limit on watched folders, the port, the " +
      "PostgreSQL database, and the paths, the login server and the secrets of the configuration file. Changes nothing.",
  ],
  flags: [
    jsonFlag,
    { name: "port", value: "N", description: "Check port N instead of the default port." },
    { name: "host", value: "H", description: "Check the port on address H. Default: 127.0.0.1." },
    { name: "database", value: "URL", description: "Check this PostgreSQL database (postgres://...)." },
    ...globalFlags,
  ],
  examples: [["trawl doctor --config trawl.json", "before the first trawl serve --config trawl.json"]],
  exitCodes: [
    [0, "no problem, perhaps warnings"],
    [1, "at least one problem"],
    [2, "invalid flags or configuration"],
  ],
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

const hosts: Command = {
  name: "hosts",
  summary: "mirror repositories of code hosts",
  usage: "trawl hosts [flags] status|check|plan|sync [NAME] | confirm NAME",
  description: [
    "NAME is one of the connections in the configuration file; without it, all of them. While trawl serve runs, it " +
      "lists each host from time to time, and clones, fetches and indexes its repositories.",
    "status shows what was last listed. check lists the host and reports who is signed in and how complete the list " +
      "is. plan reports what a listing would add (+), rename (~), remove (-) and exclude (x), and changes nothing. " +
      "sync does it now; if no server runs, it also clones, fetches and indexes the repositories, and then ends.",
    "If many repositories disappear at once, Trawl keeps all of them until you run confirm.",
  ],
  flags: [jsonFlag, ...globalFlags],
  examples: [
    ["trawl hosts check --config trawl.json", "tests the connections of a configuration"],
    ["trawl hosts plan --json | jq", "what the next listing changes"],
  ],
  exitCodes: [
    [0, "everything was listed"],
    [1, "a host could not be listed completely"],
    [2, "invalid flags, or an error"],
  ],
};

const cluster: Command = {
  name: "cluster",
  summary: "show, add and drain the Zoekt nodes of a cluster",
  usage: "trawl cluster [flags] status | add NODE | drain NODE | undrain NODE",
  description: [
    "For nodes with indexers of their own, and a PostgreSQL database (docs/cluster.md). Works while no Trawl serves.",
    "status shows which nodes respond, what they should have and have indexed, and how far they lag behind. drain has " +
      "the repositories of NODE move to other nodes; it serves them until these have them. undrain gives it its share again.",
    "add adds NODE, with an indexer beside it, to the file of --config, and prints what to do next.",
  ],
  flags: [
    jsonFlag,
    { name: "url", value: "URL", description: "With add: where the node's zoekt-webserver listens." },
    { name: "index-folder", value: "DIR", description: "With add: the index folder on the node's computer." },
    { name: "weight", value: "N", description: "With add: its share compared with other nodes. Default: 1." },
    databaseFlag,
    ...globalFlags,
  ],
  examples: [
    ["trawl cluster status --config trawl.json", "shows all nodes"],
    [
      "trawl cluster add c --url http://10.0.0.6:6070 --index-folder /var/lib/zoekt --config trawl.json",
      "before the indexer of node c is started",
    ],
    ["trawl cluster drain b --config trawl.json", "before node b is switched off"],
  ],
  exitCodes: [
    [
      0,
      "done; for status: all nodes respond, all indexers run, no job has failed, and no repository lacks replicas",
    ],
    [1, "status found a problem, or the database or the node does not respond"],
    [2, "invalid flags or configuration"],
  ],
};

export const commands: readonly Command[] = [
  serve,
  index,
  search,
  tool,
  mcp,
  status,
  doctor,
  remove,
  hosts,
  cluster,
  members,
  keys,
  sessions,
  license,
  backup,
  restore,
];
