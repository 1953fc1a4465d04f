/** What agents are told of this service, in the words that agents read: English. Pure: knows no VS Code. */
import { curlLine } from "#client/search/apiCall";

export interface Agent {
  readonly id: string;
  readonly name: string;
  /** What it reads of a workspace: path from its root. Absent: whatever the person gives it. */
  readonly file?: string;
  /** What such a file begins with. */
  readonly head?: string;
}

/** Those that ask the REST interface. VS Code's own agent mode has tools instead (`agentTools.ts`). */
export const agents: readonly Agent[] = [
  { id: "claude", name: "Claude Code", file: "CLAUDE.md" },
  {
    id: "cursor",
    name: "Cursor",
    file: ".cursor/rules/trawl.mdc",
    head: "---\ndescription: Search the code of all repositories\nalwaysApply: true\n---\n\n",
  },
  { id: "codex", name: "Codex", file: "AGENTS.md" },
  { id: "other", name: "Other agents" },
];

/** Environment variable in which an agent finds its key: what stands in a file, others read. */
export const keyVariable = "TRAWL_API_KEY";

const start = "<!-- trawl: how to search the code of all repositories -->";
const end = "<!-- /trawl -->";

export interface GuideFacts {
  /** Where the interface answers, as in `http://127.0.0.1:4878`. */
  readonly address: string;
  /** Name of a repository that is there. */
  readonly repository: string;
}

export function guide({ address, repository }: GuideFacts): string {
  const post = (path: string, body: unknown) => line(curlLine(address, { method: "POST", path, body }));
  const get = (path: string, query: Readonly<Record<string, string>> = {}) =>
    line(curlLine(address, { method: "GET", path, query }));
  return `${start}
## Code search (Trawl)

Trawl searches every indexed repository of this computer, also those that are not open in the editor, and answers JSON. Ask it before you read files one by one. It is there while ${address} answers; the key is in the environment variable ${keyVariable}.

Search. Words must all occur in a file; quotes make a phrase; filters are \`repo:\`, \`file:\`, \`lang:\`, \`rev:\` and \`sym:\`, and \`-\` before one leaves out:

${post("/api/search", { query: "retry lang:go", matches: 50, contextLines: 2 })}

Where a name is defined, and (\`/api/find_references\`) where it is used, in all repositories:

${post("/api/find_definitions", { symbolName: "retry" })}

Repositories by name, a file of one at any branch, tag or commit, and its history (also \`/api/blame\`, \`/api/diff\`, \`/api/tree\`):

${get("/api/repos", { query: repository })}
${get("/api/source", { repo: repository, path: "README.md", ref: "HEAD" })}
${get("/api/commits", { repo: repository, query: "retry" })}

Everything else is described at ${address}/api/openapi.json.
${end}
`;
}

function line(call: string): string {
  return `    ${call} -H "Authorization: Bearer $${keyVariable}"`;
}

/** The text of a file with the guide in it: in the place of an earlier one, else at the end. `before`: absent for no file. */
export function withGuide(before: string | undefined, { head = "" }: Agent, facts: GuideFacts): string {
  const text = guide(facts);
  if (before === undefined || before.trim() === "") return `${head}${text}`;
  const from = before.indexOf(start);
  const to = before.indexOf(end, from);
  if (from < 0 || to < 0) return `${before.trimEnd()}\n\n${text}`;
  return `${before.slice(0, from)}${text.trimEnd()}${before.slice(to + end.length)}`;
}
