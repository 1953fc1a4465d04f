/** What a person types to go to a file, as a query of the service. Pure: knows no VS Code. */

export interface FileWords {
  /** Files whose paths hold all the words, in any case. */
  readonly query: string;
  /** From 1; absent where none was typed. */
  readonly lineNumber?: number;
}

/** Words and paths, with `:10` or `#L10` behind them for a line. */
export function fileQuery(text: string): FileWords {
  const [, path = "", line] = /^(.*?)(?:(?::|#L)(\d{1,7})?(?::\d*)?)?$/s.exec(text.trim()) ?? [];
  const words = path.split(/\s+/).filter((word) => word !== "");
  const quoted = words.map((word) => `"${word.replaceAll("\\", "/").replaceAll('"', '\\"')}"`);
  const lineNumber = line === undefined ? 0 : Number(line);
  const query = `type:file case:no ${quoted.join(" ")}`.trim();
  return lineNumber > 0 ? { query, lineNumber } : { query };
}
