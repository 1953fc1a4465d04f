/** Going to a symbol or to a file of any repository by a part of its name. */
import * as vscode from "vscode";
import { shortNames } from "#client/repositories/grouping";
import { visible } from "#client/search/resultLines";
import { hasSnapshot as hasFileSnapshot, type Opener } from "#client/search/reveal";
import type { QueryDefaults } from "#client/search/searchState";
import type { ServiceClient } from "#client/serviceClient";
import type { FileMatch } from "#contract/search";
import type { FoundSymbol } from "#contract/symbols";
import { type FileWords, fileQuery } from "./fileQuery";
import { hasSnapshot, showPlace } from "./foundPlaces";
import { asSnapshot, type PickItem, showLivePick, toSide } from "./livePick";

export interface PickersOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly defaults: () => Promise<QueryDefaults>;
  readonly opener: Pick<Opener, "open">;
  readonly failed: (error: unknown) => void;
}

/** More than a person reads in a list. */
const itemsAtMost = 100;
/** Where rows of a list may name a resource: of older editors some refuse that, others overlook it. */
const knowsResources = isAtLeast(vscode.version, 1, 109);

export function pickSymbol({ service, failed }: PickersOptions): void {
  showLivePick({
    title: vscode.l10n.t("Go to Symbol in All Repositories"),
    placeholder: vscode.l10n.t("Letters of a name, in their order"),
    failed,
    nothing: (text) => vscode.l10n.t("No symbol matches {0}", text.trim()),
    async ask(text, token) {
      const request = { query: text, match: "fuzzy" as const, limit: itemsAtMost };
      const { symbols, isExhaustive } = await service.call("findSymbols", request, { token });
      const names = shortNames([...new Set(symbols.map(({ repository }) => repository))]);
      const items = symbols.map((found) =>
        symbolItem(found, names.get(found.repository) ?? found.repository),
      );
      const isPending = symbols.length < itemsAtMost && !isExhaustive;
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
  const place = `${fileName}:${range.start.lineNumber}`;
  return {
    label: labelOf(symbol),
    description: visible([parent.symbol, repository, place].filter((part) => part !== "").join(" · ")),
    iconPath: new vscode.ThemeIcon(iconOf(kind)),
    buttons: hasSnapshot(found) ? [toSide, asSnapshot] : [toSide],
    open: (button) =>
      showPlace(found, found, { toSide: button === toSide, isSnapshot: button === asSnapshot }),
  };
}

/** VS Code's icons of symbols, by our kinds. */
const icons: Readonly<Record<string, string>> = {
  type: "symbol-parameter",
  trait: "symbol-interface",
  union: "symbol-struct",
  macro: "symbol-constant",
  enumMember: "symbol-enum-member",
  label: "symbol-key",
  "": "symbol-misc",
};

function iconOf(kind: string): string {
  return Object.hasOwn(icons, kind) ? (icons[kind] ?? "symbol-misc") : `symbol-${kind}`;
}

export function pickFile({ service, defaults, opener, failed }: PickersOptions): void {
  showLivePick({
    title: vscode.l10n.t("Go to File in All Repositories"),
    placeholder: vscode.l10n.t("Parts of a path; end with :10 for line 10"),
    failed,
    nothing: (text) => vscode.l10n.t("No file matches {0}", text.trim()),
    async ask(text, token) {
      const words = fileQuery(text);
      const { includeArchived } = await defaults();
      const query = includeArchived ? words.query : `${words.query} archived:no`;
      const { files } = await service.call("search", { query, matches: itemsAtMost }, { token });
      const names = shortNames([...new Set(files.map(({ repository }) => repository))]);
      return files.map((file) =>
        fileItem(file, words, names.get(file.repository) ?? file.repository, opener),
      );
    },
  });
}

function fileItem(
  file: FileMatch,
  { lineNumber }: FileWords,
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
    iconPath: knowsResources ? vscode.ThemeIcon.File : new vscode.ThemeIcon("file"),
    ...(knowsResources ? { resourceUri: vscode.Uri.file(`/${path}`) } : {}),
    buttons: hasFileSnapshot(file) ? [toSide, asSnapshot] : [toSide],
    open: (button) =>
      opener.open(file, line, {
        ...(button === toSide ? { toSide: true } : {}),
        ...(button === asSnapshot ? { target: "snapshot" as const } : {}),
      }),
  };
}

/** Icons come from `$(…)`, and a name may be of anywhere. */
function labelOf(name: string): string {
  return visible(name).replaceAll("$(", "$\u200b(");
}

function isAtLeast(version: string, wantedMajor: number, wantedMinor: number): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
