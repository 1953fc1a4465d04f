/** Facets to filter results by, counted over the results so far. Pure: does not use VS Code. */

import { shortNames } from "#client/model/grouping";
import { matchCountOf, type ResultSet } from "#client/search/resultSet";
import type { L10n } from "#client/text/l10n";
import { exactRepository, inFolder } from "#contract/queryText";

/** A group of filters for the results. */
export interface Facet {
  readonly title: string;
  readonly items: readonly FacetItem[];
}

export interface FacetItem {
  readonly text: string;
  readonly count: number;
  readonly prefix: string;
  readonly value: string;
}

const maxItems = 20;

/** Returns repositories, languages and folders, most matches first. A single item would filter nothing and is omitted. */
export function facetsOf({ files }: Pick<ResultSet, "files">, l10n: L10n): Facet[] {
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
    facet(l10n.t("Repositories"), byRepository, "repo", exactRepository, (name) => labels.get(name) ?? name),
    facet(
      l10n.t("Languages"),
      byLanguage,
      "lang",
      (name) => name,
      (name) => name,
    ),
    facet(l10n.t("Folders"), byFolder, "file", inFolder, (path) => `${path}/`),
  ];
}

function facet(
  title: string,
  counts: ReadonlyMap<string, number>,
  prefix: string,
  valueFor: (key: string) => string,
  labelFor: (key: string) => string,
): Facet {
  const keys = counts.size < 2 ? [] : [...counts.entries()];
  const items = keys
    .sort(([one, oneCount], [other, otherCount]) => otherCount - oneCount || (one < other ? -1 : 1))
    .slice(0, maxItems)
    .map(([key, count]) => {
      const text = labelFor(key);
      return { text, count, prefix, value: valueFor(key) };
    });
  return { title, items };
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Returns the deepest folder that contains all paths, with a trailing slash; empty for the root. */
function commonFolder(paths: readonly string[]): string {
  const [first = "", ...others] = paths;
  let folder = first.slice(0, first.lastIndexOf("/") + 1);
  for (const path of others) {
    while (!path.startsWith(folder)) folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  }
  return folder;
}
