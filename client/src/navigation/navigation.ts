/** Commands that go to definitions, references, symbols and files in all repositories. */

import * as vscode from "vscode";
import type { Opener } from "#client/results/opener";
import type { QueryDefaults } from "#client/search/searchState";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { showFailure } from "#client/workbench/commands";
import type { Handlers } from "#client/workbench/declarations";
import type { navigationCommands as declared } from "./contributions";
import { type NameAtCursor, nameAtCursor } from "./nameAtCursor";
import { pickFile, pickSymbol } from "./pickers";
import { type FindReferences, showReferences } from "./referencesView";
import { confidentLocations, locationOf, openLocation, type SymbolLocation } from "./symbolLocations";

export interface NavigationOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly defaults: () => Promise<QueryDefaults>;
  readonly opener: Pick<Opener, "open">;
}

/** Kept low, because the editor opens each file that it lists. */
const maxDefinitions = 200;
const maxReferences = 10_000;

export function navigationCommands({
  service,
  defaults,
  opener,
}: NavigationOptions): Handlers<typeof declared> {
  const { t } = vscode.l10n;

  async function definition(isPeek: boolean): Promise<void> {
    const named = await nameAtCursor(service, vscode.window.activeTextEditor);
    if (named === undefined) return showStatus(t("There is no symbol at the cursor."));
    const { files } = await withProgress(t("Looking for {0}", named.name), (token) =>
      service.call("findDefinitions", { ...requestOf(named), matches: maxDefinitions }, { token }),
    );
    const { confident, dropped } = confidentLocations(files);
    const [first] = confident;
    if (first === undefined) return showStatus(t("No definition found for {0}.", named.name));
    if (dropped > 0) showStatus(t("{0} more match by name only.", dropped.toLocaleString()));
    if (confident.length === 1 && !isPeek) await openLocation(first.file, first.match);
    else await peek(named, confident);
  }

  async function references(): Promise<void> {
    const named = await nameAtCursor(service, vscode.window.activeTextEditor);
    if (named === undefined) return showStatus(t("There is no symbol at the cursor."));
    const find: FindReferences = async (onFiles, token) =>
      await withProgress(t("Looking for references to {0}", named.name), async () => {
        const request = { ...requestOf(named), matches: maxReferences };
        const { stats } = await service.call("streamReferences", request, {
          token,
          onEvent: ({ data }) => onFiles(data.files),
        });
        return { isExhaustive: stats.isExhaustive ?? true, unparsedFiles: stats.unparsedFiles ?? 0 };
      });
    const onNothingFound = () => showStatus(t("No references found for {0}.", named.name));
    const location = new vscode.Location(named.document.uri, named.range);
    const isShown = await showReferences({ name: named.name, location, find, onNothingFound, onError });
    if (isShown) return;
    // Without the References view, a peek view lists them.
    const { files } = await service.call("findReferences", {
      ...requestOf(named),
      matches: maxDefinitions,
    });
    const { confident } = confidentLocations(files);
    if (confident.length === 0) onNothingFound();
    else await peek(named, confident);
  }

  return {
    "nav.definition": () => definition(false),
    "nav.peekDefinition": () => definition(true),
    "nav.references": references,
    "nav.symbol": () => pickSymbol({ service, defaults, opener, onError }),
    "nav.file": () => pickFile({ service, defaults, opener, onError }),
  };
}

function requestOf({ name, location }: NameAtCursor) {
  return { symbolName: name, ...(location === undefined ? {} : { askedFrom: location }) };
}

async function peek({ document, range }: NameAtCursor, locations: readonly SymbolLocation[]): Promise<void> {
  await vscode.commands.executeCommand(
    "editor.action.peekLocations",
    document.uri,
    range.start,
    locations.map(({ file, match }) => locationOf(file, match)),
    "peek",
  );
}

/** Shows progress in the status bar while `work` runs. */
function withProgress<Result>(
  title: string,
  work: (token: vscode.CancellationToken) => Promise<Result>,
): Thenable<Result> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, (_, token) =>
    work(token),
  );
}

function showStatus(text: string): void {
  vscode.window.setStatusBarMessage(text, 5000);
}

function onError(error: unknown): void {
  if (!(error instanceof vscode.CancellationError)) showFailure(callError(error).message);
}
