/** What an empty box says: what is searched, what else could be, and what to begin with. Pure: knows no VS Code. */
import type { L10n } from "#client/l10n";
import type { Examples, Siblings } from "#contract/editor";
import type { BoxWelcome } from "#webview/messages";
import { repositoriesText } from "./status";

const namesAtMost = 3;
/** Objects hold all of the history; the index of what is searched of it comes to about a third of them. */
const indexShare = 1 / 3;

export interface WelcomeFacts {
  /** Short names of the repositories; absent until they are known. */
  readonly names: readonly string[] | undefined;
  readonly siblings: readonly Siblings["repositories"][number][];
  readonly examples: readonly Examples["queries"][number][];
  /** Whether nothing was ever searched for here: later, only what is searched is told. */
  readonly isFirst: boolean;
  /** A size in words. */
  readonly sizeText: (bytes: number) => string;
}

export function welcomeOf(facts: WelcomeFacts, l10n: L10n): BoxWelcome | null {
  const { names, examples, isFirst } = facts;
  if (names === undefined) return null;
  const more = isFirst ? siblingsLine(facts, l10n) : undefined;
  return {
    text: searchedText(names, l10n),
    actions: names.length === 0 ? [{ title: l10n.t("Add Folder…"), command: "repos.addFolder" }] : [],
    ...(more === undefined ? {} : { more }),
    examples: isFirst
      ? examples.map(({ query, repositories }) => ({
          query,
          detail: l10n.t("in {0}", repositoriesText(repositories, l10n)),
        }))
      : [],
  };
}

/** "Searching 5 repositories: api, web, docs and 2 more." */
function searchedText(names: readonly string[], l10n: L10n): string {
  if (names.length === 0) return l10n.t("No repositories yet.");
  const shown = names.slice(0, namesAtMost).join(", ");
  const rest = names.length - namesAtMost;
  const list = rest > 0 ? l10n.t("{0} and {1} more", shown, rest) : shown;
  return l10n.t("Searching {0}: {1}.", repositoriesText(names.length, l10n), list);
}

function siblingsLine({ siblings, sizeText }: WelcomeFacts, l10n: L10n): BoxWelcome["more"] {
  if (siblings.length === 0) return undefined;
  const bytes = siblings.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const size = sizeText(bytes);
  const indexSize = sizeText(Math.ceil(bytes * indexShare));
  const count = siblings.length.toLocaleString();
  return {
    text:
      siblings.length === 1
        ? l10n.t("1 more found next to it ({0}, index about {1}).", size, indexSize)
        : l10n.t("{0} more found next to it ({1}, index about {2}).", count, size, indexSize),
    actions: [
      {
        title: siblings.length === 1 ? l10n.t("Index It") : l10n.t("Index Them"),
        command: "repos.indexSiblings",
      },
      { title: l10n.t("Choose…"), command: "repos.addSiblings" },
    ],
  };
}
