/** Going to definitions, references, symbols and files in all repositories. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import { type Commands, tellFailure } from "#client/commands";
import type { Opener } from "#client/search/reveal";
import type { QueryDefaults } from "#client/search/searchState";
import type { ServiceClient } from "#client/serviceClient";
import { type FoundPlace, locationOf, showPlace, surePlaces } from "./foundPlaces";
import { type NameAtCursor, nameAtCursor } from "./nameAtCursor";
import { pickFile, pickSymbol } from "./pickers";
import { type FindReferences, showReferences } from "./referencesView";

export interface NavigationOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly defaults: () => Promise<QueryDefaults>;
  readonly opener: Pick<Opener, "open">;
}

/** The editor opens each file of what it lists. */
const definitionsAtMost = 200;
const referencesAtMost = 10_000;

export function navigationCommands({ service, defaults, opener }: NavigationOptions): Commands {
  const { t } = vscode.l10n;

  async function definition(isPeek: boolean): Promise<void> {
    const named = await nameAtCursor(service, vscode.window.activeTextEditor);
    if (named === undefined) return say(t("There is no name at the cursor."));
    const { files } = await withProgress(t("Looking for {0}", named.name), (token) =>
      service.call("findDefinitions", { ...requestOf(named), matches: definitionsAtMost }, { token }),
    );
    const { sure, left } = surePlaces(files);
    const [first] = sure;
    if (first === undefined) return say(t("No definition of {0} was found.", named.name));
    if (left > 0) say(t("{0} more have the same name only.", left.toLocaleString()));
    if (sure.length === 1 && !isPeek) await showPlace(first.file, first.match);
    else await peek(named, sure);
  }

  async function references(): Promise<void> {
    const named = await nameAtCursor(service, vscode.window.activeTextEditor);
    if (named === undefined) return say(t("There is no name at the cursor."));
    const find: FindReferences = async (onFiles, token) =>
      await withProgress(t("Looking for references to {0}", named.name), async () => {
        const request = { ...requestOf(named), matches: referencesAtMost };
        const { stats } = await service.call("streamReferences", request, {
          token,
          onEvent: ({ data }) => onFiles(data.files),
        });
        return { isExhaustive: stats.isExhaustive ?? true, unparsedFiles: stats.unparsedFiles ?? 0 };
      });
    const nothing = () => say(t("No reference to {0} was found.", named.name));
    const location = new vscode.Location(named.document.uri, named.range);
    const isShown = await showReferences({ name: named.name, location, find, nothing, failed });
    if (isShown) return;
    // Without that view they are listed where the editor lists its own.
    const { files } = await service.call("findReferences", {
      ...requestOf(named),
      matches: definitionsAtMost,
    });
    const { sure } = surePlaces(files);
    if (sure.length === 0) nothing();
    else await peek(named, sure);
  }

  return {
    "nav.definition": () => definition(false),
    "nav.peekDefinition": () => definition(true),
    "nav.references": references,
    "nav.symbol": () => pickSymbol({ service, defaults, opener, failed }),
    "nav.file": () => pickFile({ service, defaults, opener, failed }),
  };
}

function requestOf({ name, place }: NameAtCursor) {
  return { symbolName: name, ...(place === undefined ? {} : { askedFrom: place }) };
}

async function peek({ document, range }: NameAtCursor, places: readonly FoundPlace[]): Promise<void> {
  await vscode.commands.executeCommand(
    "editor.action.peekLocations",
    document.uri,
    range.start,
    places.map(({ file, match }) => locationOf(file, match)),
    "peek",
  );
}

/** In the status bar; what can be cancelled by the person is cancelled by the token. */
function withProgress<Answer>(
  title: string,
  work: (token: vscode.CancellationToken) => Promise<Answer>,
): Thenable<Answer> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, (_, token) =>
    work(token),
  );
}

function say(text: string): void {
  vscode.window.setStatusBarMessage(text, 5000);
}

function failed(error: unknown): void {
  if (!(error instanceof vscode.CancellationError)) tellFailure(callError(error).message);
}
