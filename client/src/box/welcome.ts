/** The content of an empty box: indexed repositories, sibling repositories, and examples. Pure: does not use VS Code. */

import { repositoriesText } from "#client/search/status";
import type { L10n } from "#client/text/l10n";
import type { Examples, Siblings } from "#contract/editor";
import type { BoxOffer, BoxWelcome } from "#webview/messages";

const maxNames = 3;

export interface WelcomeInput {
  /** Short names of the repositories; undefined until they are known. */
  readonly names: readonly string[] | undefined;
  /** How many of them are indexed. */
  readonly indexedCount: number;
  readonly offer: BoxOffer | undefined;
  readonly examples: readonly Examples["queries"][number][];
  /** Whether no search has been run in this workspace yet. Later, there are no examples. */
  readonly isFirstUse: boolean;
}

export function welcomeOf(input: WelcomeInput, l10n: L10n): BoxWelcome | null {
  const { names, indexedCount, offer, examples, isFirstUse } = input;
  if (names === undefined) return null;
  return {
    text: repositoriesLine(names, indexedCount, l10n),
    actions: names.length === 0 ? [{ title: l10n.t("Add Folder..."), command: "repos.addFolder" }] : [],
    ...(offer === undefined ? {} : { offer }),
    examples: isFirstUse
      ? examples.map(({ query, repositories }) => ({
          query,
          // A server that has just started may not have counted them yet.
          detail: repositories > 1 ? l10n.t("in {0}", repositoriesText(repositories, l10n)) : "",
        }))
      : [],
  };
}

/** "5 repositories indexed: api, web, docs and 2 more." */
function repositoriesLine(names: readonly string[], indexedCount: number, l10n: L10n): string {
  if (names.length === 0) return l10n.t("No repositories yet.");
  const shown = names.slice(0, maxNames).join(", ");
  const rest = names.length - maxNames;
  const list = rest > 0 ? l10n.t("{0} and {1} more", shown, rest) : shown;
  const total = repositoriesText(names.length, l10n);
  return indexedCount < names.length
    ? l10n.t("{0} of {1} indexed: {2}.", indexedCount.toLocaleString(), total, list)
    : l10n.t("{0} indexed: {1}.", total, list);
}

/** Offers to index the sibling repositories; undefined if there are none. */
export function siblingsOffer(
  siblings: readonly Siblings["repositories"][number][],
  sizeText: (bytes: number) => string,
  l10n: L10n,
): BoxOffer | undefined {
  if (siblings.length === 0) return undefined;
  const bytes = siblings.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const size = sizeText(bytes);
  const count = siblings.length.toLocaleString();
  return {
    text:
      siblings.length === 1
        ? l10n.t("1 more in the same folder ({0}).", size)
        : l10n.t("{0} more in the same folder ({1}).", count, size),
    actions: [
      {
        title: siblings.length === 1 ? l10n.t("Index It") : l10n.t("Index Them"),
        command: "repos.indexSiblings",
        isPrimary: true,
      },
      { title: l10n.t("Choose..."), command: "repos.addSiblings" },
      { title: l10n.t("Dismiss"), command: "repos.dismissSiblings" },
    ],
  };
}
