/** What results can be filtered by, counted from what was found so far. Pure: knows no VS Code. */
import type { L10n } from "#client/l10n";
import { shortNames } from "#client/repositories/grouping";
import type { BoxFacets } from "#webview/messages";
import { exactRepository, inFolder } from "./queryText";
import { matchCountOf, type ResultSet } from "./resultSet";

const itemsAtMost = 8;

/** Repositories, languages and folders with their matches, most first. A kind with a single item divides nothing. */
export function facetsOf({ files }: Pick<ResultSet, "files">, l10n: L10n): BoxFacets[] {
  const byRepository = new Map<string, number>();
  const byLanguage = new Map<string, number>();
  const byFolder = new Map<string, number>();
  const top = commonFolder(files.map(({ fileName }) => fileName.text));
  for (const file of files) {
    const count = matchCountOf(file);
    add(byRepository, file.repository, count);
    if (file.language !== "") add(byLanguage, file.language, count);
    const end = file.fileName.text.indexOf("/", top.length);
    if (end > 0) add(byFolder, file.fileName.text.slice(0, end), count);
  }
  const labels = shortNames([...byRepository.keys()]);
  return [
    facet(
      l10n.t("Repositories"),
      byRepository,
      "repo",
      exactRepository,
      (name) => labels.get(name) ?? name,
      l10n,
    ),
    facet(
      l10n.t("Languages"),
      byLanguage,
      "lang",
      (name) => name,
      (name) => name,
      l10n,
    ),
    facet(l10n.t("Folders"), byFolder, "file", inFolder, (path) => `${path}/`, l10n),
  ];
}

function facet(
  title: string,
  counts: ReadonlyMap<string, number>,
  prefix: string,
  valueFor: (key: string) => string,
  labelFor: (key: string) => string,
  l10n: L10n,
): BoxFacets {
  const keys = counts.size < 2 ? [] : [...counts.entries()];
  const items = keys
    .sort(([one, oneCount], [other, otherCount]) => otherCount - oneCount || (one < other ? -1 : 1))
    .slice(0, itemsAtMost)
    .map(([key, count]) => {
      const text = labelFor(key);
      const words = l10n.t("Search only in {0}. With Alt: everywhere but there.", text);
      return { text, count, title: words, prefix, value: valueFor(key) };
    });
  return { title, items };
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** The folder that holds all paths, with a slash behind it; empty where that is the root. */
function commonFolder(paths: readonly string[]): string {
  const [first = "", ...others] = paths;
  let folder = first.slice(0, first.lastIndexOf("/") + 1);
  for (const path of others) {
    while (!path.startsWith(folder)) folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  }
  return folder;
}
