/** Instructions that tell coding agents how to use the service, always in English. Pure: does not use VS Code. */
import { curlLine } from "#client/server/apiCall";

export interface Agent {
  readonly id: string;
  readonly name: string;
  /** The instruction file that it reads, relative to the workspace root; absent for agents without one. */
  readonly file?: string;
  /** Front matter of a new file. */
  readonly frontMatter?: string;
}

/** Agents and scripts that use the REST API. Others connect over MCP (`mcpSetup.ts`). */
export const agents: readonly Agent[] = [
  { id: "claude", name: "Claude Code", file: "CLAUDE.md" },
  {
    id: "cursor",
    name: "Cursor",
    file: ".cursor/rules/trawl.mdc",
    frontMatter: "---\ndescription: Search the code of all repositories\nalwaysApply: true\n---\n\n",
  },
  { id: "codex", name: "Codex", file: "AGENTS.md" },
  { id: "other", name: "Other agents" },
];

/** Environment variable of the agent's API key, which must not be written to files. */
export const keyVariable = "TRAWL_API_KEY";

const start = "<!-- trawl: how to search the code of all repositories -->";
const end = "<!-- /trawl -->";

export interface GuideOptions {
  /** URL of the server, as in `http://127.0.0.1:4878`. */
  readonly url: string;
  /** Name of an indexed repository, for the examples. */
  readonly repository: string;
}

export function guide({ url, repository }: GuideOptions): string {
  const post = (path: string, body: unknown) => line(curlLine(url, { method: "POST", path, body }));
  const get = (path: string, query: Readonly<Record<string, string>> = {}) =>
    line(curlLine(url, { method: "GET", path, query }));
  return `${start}
## Code search (Trawl)

Trawl searches every indexed repository on this computer, including those that are not open in the editor, and returns JSON. Use it before you read files one by one. It is available while ${url} responds; the key is in the environment variable ${keyVariable}.

Search. All words must occur in a file; quotes make a phrase; filters are \`repo:\`, \`file:\`, \`lang:\`, \`rev:\` and \`sym:\`, and \`-\` before one excludes:

${post("/api/search", { query: "retry lang:go", matches: 50, contextLines: 2 })}

Find definitions or, with \`/api/find_references\`, references of a symbol in all repositories:

${post("/api/find_definitions", { symbolName: "retry" })}

List repositories by name, read a file at any branch, tag or commit, and list commits (see also \`/api/blame\`, \`/api/diff\` and \`/api/tree\`):

${get("/api/repos", { query: repository })}
${get("/api/source", { repo: repository, path: "README.md", ref: "HEAD" })}
${get("/api/commits", { repo: repository, query: "retry" })}

${url}/api/openapi.json describes every endpoint.
${end}
`;
}

function line(call: string): string {
  return `    ${call} -H "Authorization: Bearer $${keyVariable}"`;
}

/** Replaces the guide in the text of a file, or appends it. `before` is absent if the file does not exist. */
export function withGuide(
  before: string | undefined,
  { frontMatter = "" }: Agent,
  options: GuideOptions,
): string {
  const text = guide(options);
  if (before === undefined || before.trim() === "") return `${frontMatter}${text}`;
  const from = before.indexOf(start);
  const to = before.indexOf(end, from);
  if (from < 0 || to < 0) return `${before.trimEnd()}\n\n${text}`;
  return `${before.slice(0, from)}${text.trimEnd()}${before.slice(to + end.length)}`;
}
