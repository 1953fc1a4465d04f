/** Prints counts as a table, or as CSV. */
import { groupName } from "#agents/searchLines";
import { sanitize } from "#base/sanitize";
import type { CountedGroup, CountResult } from "#contract/count";
import { formatCount } from "./format";
import type { SearchStyle } from "./printSearch";

/** The properties of groups, in the order of the columns. */
const columns = [
  "repository",
  "folder",
  "language",
  "authorName",
  "authorEmail",
  "fileName",
  "symbol",
  "kind",
  "parent",
  "text",
] as const satisfies readonly (keyof CountedGroup)[];

/** Longer texts are cut on a terminal. */
const maxTextLength = 200;

/** `matches files group`, then the totals. On a terminal, control characters are replaced. */
export function formatCountTable(result: CountResult, { paint, isTty }: SearchStyle): string[] {
  const { groups, matchCount, fileCount, repositoryCount, omittedGroupCount } = result;
  const [matches, files] = (["matchCount", "fileCount"] as const).map((name) =>
    Math.max(0, ...groups.map((group) => String(group[name]).length)),
  );
  const lines = groups.map((group) => {
    const counts = `${String(group.matchCount).padStart(matches ?? 0)}  ${String(group.fileCount).padStart(files ?? 0)}  `;
    const name = groupName(group);
    return isTty ? `${paint("line", counts)}${sanitize(cut(name))}` : `${counts}${escapeNewlines(name)}`;
  });
  const total = [
    formatCount(matchCount, "match", "matches"),
    ` in ${formatCount(fileCount, "file", "files")}`,
    ` of ${formatCount(repositoryCount, "repository", "repositories")}`,
    omittedGroupCount > 0 ? `; ${formatCount(omittedGroupCount, "group is", "groups are")} not shown` : "",
  ];
  return [...lines, paint("dim", total.join(""))];
}

/** RFC 4180. Values are exact: a leading `=` or `+` is not escaped, because that would change what was counted. */
export function formatCsv({ groups, groupBy }: CountResult): string {
  const named = columns.filter((name) => groups[0]?.[name] !== undefined);
  const header = [...(named.length === 0 ? [groupBy ?? ""] : named), "matchCount", "fileCount"];
  const rows = groups.map((group) =>
    [...named, "matchCount" as const, "fileCount" as const].map((name) => String(group[name] ?? "")),
  );
  return [header, ...rows].map((row) => `${row.map(quoteField).join(",")}\r\n`).join("");
}

function quoteField(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Every group stays on one line. */
function escapeNewlines(text: string): string {
  return text.replace(/[\r\n]/g, (character) => (character === "\n" ? "\\n" : "\\r"));
}

function cut(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}
