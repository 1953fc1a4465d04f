/** Turns the input of "Go to File" into a query. Pure: does not use VS Code. */

export interface FileQuery {
  /** Matches files whose paths contain all the words, in any case. */
  readonly query: string;
  /** One-based; absent if none was typed. */
  readonly lineNumber?: number;
}

/** Parses words and paths, optionally followed by a line as `:10` or `#L10`. */
export function fileQuery(text: string): FileQuery {
  const [, path = "", line] = /^(.*?)(?:(?::|#L)(\d{1,7})?(?::\d*)?)?$/s.exec(text.trim()) ?? [];
  const words = path.split(/\s+/).filter((word) => word !== "");
  const quoted = words.map((word) => `"${word.replaceAll("\\", "/").replaceAll('"', '\\"')}"`);
  const lineNumber = line === undefined ? 0 : Number(line);
  const query = `type:file case:no ${quoted.join(" ")}`.trim();
  return lineNumber > 0 ? { query, lineNumber } : { query };
}
