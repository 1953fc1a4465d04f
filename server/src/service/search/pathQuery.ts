import { quoteText, writeExpression, writeName } from "#query/parser/write";

/** Returns the query for files of one repository whose paths contain all the words of `text`, in any case. */
export function pathQuery(repository: string, revision: string | undefined, text: string): string {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const parts = ["type:file", "case:no", `repo:^${writeExpression(repository)}$`];
  if (revision !== undefined) parts.push(`rev:${writeName(revision)}`);
  return [...parts, ...words.map((word) => quoteText(word.replaceAll("\\", "/")))].join(" ");
}
