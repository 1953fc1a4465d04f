/** Builds the parts of the search view around the query field. */
import * as vscode from "vscode";
import { shortNames } from "#client/model/grouping";
import type { Repositories } from "#client/model/repositories";
import type { TeamServer } from "#client/model/teamServer";
import { fileListsOf } from "#client/search/fileFilters";
import { errorIn, type QueryAnalysis } from "#client/search/queryAnalysis";
import type { ResultSet } from "#client/search/resultSet";
import { pickersOf } from "#client/search/scope";
import { scopeSettings } from "#client/search/scopeSettings";
import { isEmpty, type SearchState } from "#client/search/searchState";
import { countRepositories, statusOf } from "#client/search/status";
import type { ServerState } from "#client/server/serviceClient";
import { size } from "#client/workbench/format";
import { setting } from "#client/workbench/settings";
import type { Examples } from "#contract/editor";
import type { QueryFilter } from "#contract/queries";
import type { BoxParts, BoxStatus, BoxWelcome } from "#webview/messages";
import { caseOff } from "./initialState";
import { boxInterpretation } from "./interpretation";
import type { waitReasonFor } from "./typing";
import { siblingsOffer, welcomeOf } from "./welcome";

export interface BoxInput {
  /** The content of the box; `analysis` may belong to an earlier state. */
  readonly state: SearchState;
  readonly analysis: QueryAnalysis;
  /** The results that are shown. */
  readonly current: ResultSet | undefined;
  /** Whether the user is still typing. */
  readonly isTyping: boolean;
  readonly waitReason: ReturnType<typeof waitReasonFor>;
  readonly server: ServerState;
  readonly teamServer: Pick<TeamServer, "state">;
  readonly repositories: Pick<Repositories, "items" | "clones" | "siblings">;
  /** The filters of the query that were added for the open editors; empty for none. */
  readonly openEditors: readonly QueryFilter[];
  /** Paths of the sibling repositories that the user does not want to index. */
  readonly dismissedSiblings: ReadonlySet<string>;
  readonly examples: Examples["queries"];
  /** Whether no search has been run in this workspace yet. */
  readonly isFirstUse: boolean;
}

/** Builds each part by name, so that only parts that may have changed are rebuilt. */
export const boxPart: { readonly [Name in keyof BoxParts]: (input: BoxInput) => BoxParts[Name] } = {
  interpretation: ({ analysis: { state, interpretation, narrowed }, isTyping }) =>
    boxInterpretation(state, interpretation, { narrowed, isTyping }, vscode.l10n),
  pickers: ({ analysis, repositories }) => ({
    ...pickersOf(analysis.interpretation.filters, scopeSettings(repositories), vscode.l10n),
    caseOff: caseOff(),
  }),
  files: ({ analysis: { interpretation }, openEditors }) => {
    const lists = fileListsOf(interpretation.filters.filter((filter) => !openEditors.includes(filter)));
    return {
      include: lists.include ?? null,
      exclude: lists.exclude ?? null,
      isOnlyOpenEditors: openEditors.length > 0,
    };
  },
  status,
  welcome,
};

function status(input: BoxInput): BoxStatus {
  const { state, analysis, current, waitReason, server, repositories } = input;
  const items = [...(repositories.items?.values() ?? [])];
  // An error in the query is shown at its location, with quick fixes. The status does not repeat it.
  const isErrorShown = analysis.state !== state || errorIn(analysis) !== undefined;
  const isParseError = current?.problem?.errorCode === "FAILED_TO_PARSE_QUERY";
  // An empty box shows it in its welcome text.
  const offer = showsWelcome(input) ? undefined : offerOf(input);
  const shown = statusOf(
    {
      set: isParseError && isErrorShown ? undefined : current,
      phraseQuery:
        analysis.state.query === current?.state.query ? analysis.interpretation.phraseQuery : undefined,
      waitReason,
      server,
      isKeyRejected: input.teamServer.state.state === "rejected",
      ...countRepositories(items),
    },
    vscode.l10n,
  );
  return offer === undefined ? shown : { ...shown, offer };
}

function showsWelcome({ state, current }: BoxInput): boolean {
  return isEmpty(state) && current === undefined;
}

function offerOf(input: BoxInput): BoxStatus["offer"] {
  if (setting("repositories.autoDiscover") !== "siblings") return undefined;
  return siblingsOffer(offeredSiblings(input), size, vscode.l10n);
}

/** Returns the sibling repositories that the user has not dismissed. */
export function offeredSiblings({
  repositories,
  dismissedSiblings,
}: Pick<BoxInput, "repositories" | "dismissedSiblings">): Repositories["siblings"] {
  return repositories.siblings.filter(({ path }) => !dismissedSiblings.has(path));
}

function welcome(input: BoxInput): BoxWelcome | null {
  const { repositories, examples, isFirstUse } = input;
  if (!showsWelcome(input)) return null;
  const items = [...(repositories.items?.values() ?? [])];
  const names = items.map(({ repoName }) => repoName);
  return welcomeOf(
    {
      names: repositories.items === undefined ? undefined : [...shortNames(names).values()],
      indexedCount: items.filter(({ state, documentCount }) => state === "ready" || documentCount > 0).length,
      offer: offerOf(input),
      examples,
      isFirstUse,
    },
    vscode.l10n,
  );
}
