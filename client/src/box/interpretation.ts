/** Shows how the service parsed a query, as chips and problems. Pure: does not use VS Code. */

import type { SearchState } from "#client/search/searchState";
import type { L10n } from "#client/text/l10n";
import type { QueryExplanation, QueryFilter, QueryProblem } from "#contract/queries";
import { withoutRange } from "#contract/queryText";
import type { BoxChip, BoxInterpretation, BoxProblem } from "#webview/messages";

export interface InterpretationOptions {
  /** How each narrowing condition was parsed, in order. */
  readonly narrowed: readonly Pick<QueryExplanation, "problems">[];
  /** Whether the user is still typing: an error at the end may disappear with the next character. */
  readonly isTyping: boolean;
}

export function boxInterpretation(
  state: Pick<SearchState, "query" | "narrowed">,
  interpretation: Pick<QueryExplanation, "filters" | "problems">,
  { narrowed, isTyping }: InterpretationOptions,
  l10n: L10n,
): BoxInterpretation {
  const length = state.query.trimEnd().length;
  const problems = interpretation.problems.filter(
    ({ severity, offset }) => !(isTyping && severity === "error" && offset >= length),
  );
  return {
    query: state.query,
    isDescribed: interpretation.filters.some(({ prefix }) => prefix === "words"),
    chips: [
      ...interpretation.filters.map((filter) => filterChip(state.query, filter, l10n)),
      ...state.narrowed.map((text, index) => narrowedChip(text, state.narrowed.toSpliced(index, 1), l10n)),
    ],
    problems: [
      ...problems.map(boxProblem),
      ...narrowed.flatMap(({ problems }, index) =>
        problems
          .filter(({ severity }) => severity === "error")
          .map(({ message }) => narrowedProblem(state.narrowed, index, message, l10n)),
      ),
    ],
  };
}

function filterChip(query: string, filter: QueryFilter, l10n: L10n): BoxChip {
  const { offset, length, prefix, value, isNegated, readAs } = filter;
  const text = isNegated ? l10n.t("not {0}: {1}", prefix, value) : `${prefix}: ${value}`;
  return {
    text,
    title: readAs === undefined ? "" : l10n.t("interpreted as {0}", readAs),
    isNegated,
    isFileFilter: prefix === "file",
    remove: {
      title: l10n.t("Remove {0}", text),
      change: { query: withoutRange(query, offset, length) },
    },
  };
}

function narrowedChip(text: string, others: readonly string[], l10n: L10n): BoxChip {
  const label = l10n.t("narrowed: {0}", text);
  return {
    text: label,
    title: "",
    isNegated: false,
    isFileFilter: false,
    remove: { title: l10n.t("Remove {0}", label), change: { narrowed: others } },
  };
}

function boxProblem({ offset, length, severity, message, fixes }: QueryProblem): BoxProblem {
  return {
    range: { offset, length },
    severity,
    message,
    fixes: fixes.map(({ title, query, isRegexEnabled }) => ({
      title,
      change: { query, ...(isRegexEnabled === undefined ? {} : { isRegex: isRegexEnabled }) },
    })),
  };
}

function narrowedProblem(
  narrowed: readonly string[],
  index: number,
  message: string,
  l10n: L10n,
): BoxProblem {
  const change = { narrowed: narrowed.toSpliced(index, 1) };
  return {
    severity: "error",
    message: l10n.t("narrowed: {0}: {1}", narrowed[index] ?? "", message),
    fixes: [{ title: l10n.t("Remove it"), change }],
  };
}
