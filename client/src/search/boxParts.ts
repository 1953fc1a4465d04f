/** What is shown around the text of the box, from all that is known. */
import * as vscode from "vscode";
import { shortNames } from "#client/repositories/grouping";
import type { Repositories } from "#client/repositories/repositories";
import type { ServerState } from "#client/serviceClient";
import { setting } from "#client/settings";
import { size } from "#client/words";
import type { Examples } from "#contract/editor";
import type { BoxParts, BoxStatus, BoxWelcome } from "#webview/messages";
import { facetsOf } from "./facets";
import { boxReading } from "./reading";
import type { ResultSet } from "./resultSet";
import { pickersOf } from "./scope";
import { scopeSettings } from "./scopeSettings";
import { isEmpty, type SearchState } from "./searchState";
import { indexFacts, statusOf } from "./status";
import type { waitsFor } from "./typing";
import type { Understood } from "./understood";
import { welcomeOf } from "./welcome";

export interface BoxFacts {
  /** What is in the box; `understood` may still be about what was there before. */
  readonly state: SearchState;
  readonly understood: Understood;
  /** The results that are shown. */
  readonly present: ResultSet | undefined;
  /** Whether the text is still being written. */
  readonly isTyping: boolean;
  readonly waits: ReturnType<typeof waitsFor>;
  readonly server: ServerState;
  readonly repositories: Pick<Repositories, "items" | "clones" | "siblings">;
  readonly examples: Examples["queries"];
  /** Whether nothing was ever searched for here. */
  readonly isFirst: boolean;
}

/** Each part by its name, so that only what may have changed is made anew. */
export const boxPart: { readonly [Name in keyof BoxParts]: (facts: BoxFacts) => BoxParts[Name] } = {
  reading: ({ understood: { state, reading, narrowed }, isTyping }) =>
    boxReading(state, reading, { narrowed, isTyping }, vscode.l10n),
  pickers: ({ understood, repositories }) =>
    pickersOf(understood.reading.filters, scopeSettings(repositories), vscode.l10n),
  facets: ({ present }) => (present === undefined ? [] : facetsOf(present, vscode.l10n)),
  status,
  welcome,
};

function status({ understood, present, waits, server, repositories }: BoxFacts): BoxStatus {
  const items = [...(repositories.items?.values() ?? [])];
  // A query that was refused is told of where it stands, with a way to mend it: there is nothing to add below.
  const isTold = understood.reading.problems.some(({ severity }) => severity === "error");
  const isRefused = present?.problem?.errorCode === "FAILED_TO_PARSE_QUERY";
  return statusOf(
    {
      set: isRefused && isTold ? undefined : present,
      waits,
      server,
      ...indexFacts(items),
    },
    vscode.l10n,
  );
}

function welcome({ state, present, repositories, examples, isFirst }: BoxFacts): BoxWelcome | null {
  if (!isEmpty(state) || present !== undefined) return null;
  const names = [...(repositories.items?.values() ?? [])].map(({ repoName }) => repoName);
  return welcomeOf(
    {
      names: repositories.items === undefined ? undefined : [...shortNames(names).values()],
      siblings: setting("repositories.autoDiscover") === "siblings" ? repositories.siblings : [],
      examples,
      isFirst,
      sizeText: size,
    },
    vscode.l10n,
  );
}
