/** The results of searches: their view, and what opens and follows them. */
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import { snapshotCommands } from "#client/files/snapshotCommands";
import type { Snapshots } from "#client/files/snapshots";
import type { Repositories } from "#client/repositories/repositories";
import type { ServiceClient } from "#client/serviceClient";
import type { FileMatch } from "#contract/search";
import { CopyCommands } from "./copyCommands";
import { Advice } from "./resultAdvice";
import { registerBadges } from "./resultBadges";
import { ResultCommands } from "./resultCommands";
import { ResultPlaces } from "./resultPlaces";
import { ResultsDocuments } from "./resultsDocument";
import { registerResultsLanguage } from "./resultsLanguage";
import { ResultsTree } from "./resultsTree";
import { resultTooltips } from "./resultTooltip";
import { Opener } from "./reveal";
import type { SearchBox } from "./searchBox";
import type { Searches } from "./searches";
import type { QueryDefaults } from "./searchState";

export interface ResultsOptions {
  readonly service: ServiceClient;
  readonly searches: Searches;
  readonly repositories: Repositories;
  readonly snapshots: Snapshots;
  readonly memory: vscode.Memento;
  readonly box: () => SearchBox;
  readonly defaults: () => QueryDefaults | Promise<QueryDefaults>;
}

export class Results implements vscode.Disposable {
  readonly opener: Opener;
  readonly commands: Commands;
  readonly #subscriptions: vscode.Disposable;

  constructor({ service, searches, repositories, snapshots, memory, box, defaults }: ResultsOptions) {
    const places = new ResultPlaces(service, repositories, () => filesOf(searches));
    const advice = new Advice({ service, repositories, present: () => searches.present, box });
    const tooltip = resultTooltips(snapshots, places);
    const tree = new ResultsTree({ searches, places, repositories, advice, memory, tooltip });
    this.opener = new Opener(places);
    const commands = new ResultCommands({ tree, opener: this.opener, advice, searches, repositories, box });
    const documents = new ResultsDocuments({ service, repositories, tree, defaults });
    const copies = new CopyCommands({ service, tree, repositories });
    this.commands = {
      ...commands.commands,
      ...documents.commands,
      ...copies.commands,
      ...snapshotCommands(snapshots, this.opener),
    };
    this.#subscriptions = vscode.Disposable.from(
      places,
      advice,
      tree,
      commands,
      documents,
      copies,
      registerBadges(),
      registerResultsLanguage(this.opener, snapshots),
      searches.onFinish((set) => {
        places.forget();
        void repositories.load().catch(() => undefined);
        void advice.consider(set);
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

function* filesOf({ present, pinned }: Searches): Generator<FileMatch> {
  for (const set of pinned) yield* set.files;
  if (present !== undefined && !pinned.includes(present)) yield* present.files;
}
