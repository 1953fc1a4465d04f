/** How the service understood a query, as chips and problems. Pure: knows no VS Code. */
import type { L10n } from "#client/l10n";
import type { QueryFilter, QueryProblem, QueryReading } from "#contract/queries";
import type { BoxChip, BoxProblem, BoxReading } from "#webview/messages";
import { withoutStretch } from "./queryText";
import type { SearchState } from "./searchState";

export interface ReadingOptions {
  /** How each further condition was understood, in their order. */
  readonly narrowed: readonly Pick<QueryReading, "problems">[];
  /** Whether the person is still writing: what is missing at the end will come. */
  readonly isTyping: boolean;
}

export function boxReading(
  state: Pick<SearchState, "query" | "narrowed">,
  reading: Pick<QueryReading, "filters" | "problems">,
  { narrowed, isTyping }: ReadingOptions,
  l10n: L10n,
): BoxReading {
  const written = state.query.trimEnd().length;
  const problems = reading.problems.filter(
    ({ severity, offset }) => !(isTyping && severity === "error" && offset >= written),
  );
  return {
    query: state.query,
    chips: [
      ...reading.filters.map((filter) => filterChip(state.query, filter, l10n)),
      ...state.narrowed.map((text, at) => narrowedChip(text, state.narrowed.toSpliced(at, 1), l10n)),
    ],
    problems: [
      ...problems.map(boxProblem),
      ...narrowed.flatMap(({ problems }, at) =>
        problems
          .filter(({ severity }) => severity === "error")
          .map(({ message }) => narrowedProblem(state.narrowed, at, message, l10n)),
      ),
    ],
  };
}

function filterChip(query: string, filter: QueryFilter, l10n: L10n): BoxChip {
  const { offset, length, prefix, value, isNegated, readAs } = filter;
  const text = isNegated ? l10n.t("not {0}: {1}", prefix, value) : `${prefix}: ${value}`;
  return {
    text,
    title: readAs === undefined ? "" : l10n.t("read as {0}", readAs),
    isNegated,
    remove: {
      title: l10n.t("Remove {0}", text),
      change: { query: withoutStretch(query, offset, length) },
    },
  };
}

function narrowedChip(text: string, others: readonly string[], l10n: L10n): BoxChip {
  const words = l10n.t("narrowed: {0}", text);
  return {
    text: words,
    title: "",
    isNegated: false,
    remove: { title: l10n.t("Remove {0}", words), change: { narrowed: others } },
  };
}

function boxProblem({ offset, length, severity, message, fixes }: QueryProblem): BoxProblem {
  return {
    place: { offset, length },
    severity,
    message,
    fixes: fixes.map(({ title, query, isRegexEnabled }) => ({
      title,
      change: { query, ...(isRegexEnabled === undefined ? {} : { isRegex: isRegexEnabled }) },
    })),
  };
}

function narrowedProblem(narrowed: readonly string[], at: number, message: string, l10n: L10n): BoxProblem {
  const change = { narrowed: narrowed.toSpliced(at, 1) };
  return {
    severity: "error",
    message: l10n.t("narrowed: {0}: {1}", narrowed[at] ?? "", message),
    fixes: [{ title: l10n.t("Remove it"), change }],
  };
}
