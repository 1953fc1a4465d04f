/** Pickers that go to a symbol or file of any repository by part of its name. */
import * as vscode from "vscode";
import { shortNames } from "#client/model/grouping";
import { hasSnapshot as hasFileSnapshot, type Opener } from "#client/results/opener";
import type { QueryDefaults } from "#client/search/searchState";
import type { ServiceClient } from "#client/server/serviceClient";
import { visible } from "#client/text/visible";
import { symbolIcon } from "#client/workbench/rows";
import type { FileMatch } from "#contract/search";
import type { FoundSymbol } from "#contract/symbols";
import { type FileQuery, fileQuery } from "./fileQuery";
import { asSnapshot, type PickItem, showLivePick, toSide } from "./livePick";
import { hasSnapshot, openLocation } from "./symbolLocations";

export interface PickersOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly defaults: () => Promise<QueryDefaults>;
  readonly opener: Pick<Opener, "open">;
  readonly onError: (error: unknown) => void;
}

/** More than users read in a list. */
const maxItems = 100;
/** Whether quick pick items may have a resource: some older editors reject it, others ignore it. */
const supportsResourceUri = isAtLeast(vscode.version, 1, 109);

export function pickSymbol({ service, onError }: PickersOptions): void {
  showLivePick({
    title: vscode.l10n.t("Go to Symbol in All Repositories"),
    placeholder: vscode.l10n.t("Type letters of a symbol's name, in order"),
    onError,
    emptyLabel: (text) => vscode.l10n.t("No symbol matches {0}", text.trim()),
    async fetchItems(text, token) {
      const request = { query: text, match: "fuzzy" as const, limit: maxItems };
      const { symbols, isExhaustive } = await service.call("findSymbols", request, { token });
      const names = shortNames([...new Set(symbols.map(({ repository }) => repository))]);
      const items = symbols.map((found) =>
        symbolItem(found, names.get(found.repository) ?? found.repository),
      );
      const isPending = symbols.length < maxItems && !isExhaustive;
      return isPending ? [...items, pendingItem()] : items;
    },
  });
}

function pendingItem(): PickItem {
  return {
    label: vscode.l10n.t("There may be more: some repositories are still being indexed"),
    iconPath: new vscode.ThemeIcon("info"),
  };
}

function symbolItem(found: FoundSymbol, repository: string): PickItem {
  const { symbol, kind, parent, fileName, range } = found;
  const location = `${fileName}:${range.start.lineNumber}`;
  return {
    label: labelOf(symbol),
    description: visible([parent.symbol, repository, location].filter((part) => part !== "").join(" · ")),
    iconPath: symbolIcon(kind),
    buttons: hasSnapshot(found) ? [toSide, asSnapshot] : [toSide],
    open: (button) =>
      openLocation(found, found, { toSide: button === toSide, isSnapshot: button === asSnapshot }),
  };
}

export function pickFile({ service, defaults, opener, onError }: PickersOptions): void {
  showLivePick({
    title: vscode.l10n.t("Go to File in All Repositories"),
    placeholder: vscode.l10n.t("Type parts of a path; add :10 for line 10"),
    onError,
    emptyLabel: (text) => vscode.l10n.t("No file matches {0}", text.trim()),
    async fetchItems(text, token) {
      const parsed = fileQuery(text);
      const { includeArchived } = await defaults();
      const query = includeArchived ? parsed.query : `${parsed.query} archived:no`;
      const { files } = await service.call("search", { query, matches: maxItems }, { token });
      const names = shortNames([...new Set(files.map(({ repository }) => repository))]);
      return files.map((file) =>
        fileItem(file, parsed, names.get(file.repository) ?? file.repository, opener),
      );
    },
  });
}

function fileItem(
  file: FileMatch,
  { lineNumber }: FileQuery,
  repository: string,
  opener: Pick<Opener, "open">,
): PickItem {
  const path = file.fileName.text;
  const slash = path.lastIndexOf("/");
  const line = lineNumber === undefined ? undefined : { lineNumber, text: "", matches: [] };
  return {
    label: labelOf(path.slice(slash + 1)),
    description: visible(
      [path.slice(0, Math.max(slash, 0)), repository].filter((part) => part !== "").join(" · "),
    ),
    iconPath: supportsResourceUri ? vscode.ThemeIcon.File : new vscode.ThemeIcon("file"),
    ...(supportsResourceUri ? { resourceUri: vscode.Uri.file(`/${path}`) } : {}),
    buttons: hasFileSnapshot(file) ? [toSide, asSnapshot] : [toSide],
    open: (button) =>
      opener.open(file, line, {
        ...(button === toSide ? { toSide: true } : {}),
        ...(button === asSnapshot ? { target: "snapshot" as const } : {}),
      }),
  };
}

/** Escapes `$(…)`, which VS Code would show as an icon: names are untrusted. */
function labelOf(name: string): string {
  return visible(name).replaceAll("$(", "$\u200b(");
}

function isAtLeast(version: string, minMajor: number, minMinor: number): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}
