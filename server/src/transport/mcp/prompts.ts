/** Prompts: questions that are worth asking about all repositories. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

interface PromptDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: { readonly name: string; readonly description: string; readonly required: true }[];
  /** Contains `{name}` for each argument. */
  readonly text: string;
}

const definitions: readonly PromptDefinition[] = [
  {
    name: "find_similar",
    title: "Find similar code",
    description: "Finds code in other repositories that does the same.",
    arguments: [{ name: "code", description: "Code, or what it does.", required: true }],
    text: "Find code in all indexed repositories that does the same as this, with grep for its distinctive names and texts, then read for the best candidates. List repository, path and lines, and how each one differs.\n\n{code}",
  },
  {
    name: "who_uses",
    title: "Who uses this?",
    description: "Finds everything that would be affected by a change of a symbol.",
    arguments: [{ name: "symbol", description: "The exact name.", required: true }],
    text: "Find everything that uses {symbol} in all indexed repositories: its definitions first, then its references, with uses. Group them by repository, say how certain each is, and what a change of it would affect.",
  },
  {
    name: "when_changed",
    title: "When did this change?",
    description: "Finds the commits that changed a file.",
    arguments: [
      { name: "repo", description: "Name of the repository.", required: true },
      { name: "path", description: "Path of the file.", required: true },
    ],
    text: "When, by whom and why did {path} in {repo} last change in substance? Use history and diff, and name the commits.",
  },
];

/** The prompts as clients list them. */
export const prompts = definitions.map(({ text: _, ...prompt }) => prompt);

/** Throws an error of the protocol if there is no such prompt, or if an argument is missing. */
export function writePrompt(name: string, args: Readonly<Record<string, string>>) {
  const prompt = definitions.find((each) => each.name === name);
  if (prompt === undefined) {
    const names = definitions.map((each) => each.name).join(", ");
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt. There are ${names}.`);
  }
  const text = prompt.text.replace(/\{(\w+)\}/g, (_, argument: string) => {
    const value = args[argument];
    if (value !== undefined) return value;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The argument "${argument}" is missing.`);
  });
  return {
    description: prompt.description,
    messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  };
}
