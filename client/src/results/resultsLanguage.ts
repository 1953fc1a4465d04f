/** Language features of results documents: links, folding, outline, and code lenses above the first line. */
import * as vscode from "vscode";
import type { Snapshots } from "#client/documents/snapshots";
import type { FileMatch } from "#contract/search";
import { matchAtLocation } from "./locationMatch";
import type { Opener } from "./opener";
import { linesOf } from "./resultLines";
import { resultsLanguage } from "./resultsDocument";
import { type ResultsEntry, readEntries, readHeader } from "./resultsText";

type RepositoryEntry = Extract<ResultsEntry, { kind: "repository" }>;
type PathEntry = Extract<ResultsEntry, { kind: "path" }>;
type TextEntry = Extract<ResultsEntry, { kind: "text" }>;

export function registerResultsLanguage(
  opener: Opener,
  snapshots: Pick<Snapshots, "source">,
): vscode.Disposable {
  const selector: vscode.DocumentSelector = { language: resultsLanguage };
  return vscode.Disposable.from(
    vscode.languages.registerDocumentLinkProvider(selector, new Links(opener, snapshots)),
    vscode.languages.registerFoldingRangeProvider(selector, { provideFoldingRanges: foldingRanges }),
    vscode.languages.registerDocumentSymbolProvider(selector, { provideDocumentSymbols: outline }),
    vscode.languages.registerCodeLensProvider(selector, { provideCodeLenses: lenses }),
  );
}

class ResultLink extends vscode.DocumentLink {
  readonly repository: RepositoryEntry;
  readonly path: string;
  readonly found: TextEntry | undefined;

  constructor(range: vscode.Range, repository: RepositoryEntry, path: string, found?: TextEntry) {
    super(range);
    this.repository = repository;
    this.path = path;
    this.found = found;
    this.tooltip = vscode.l10n.t("Open");
  }
}

/** Links are resolved when they are followed, because files change, and repositories come and go. */
class Links implements vscode.DocumentLinkProvider<ResultLink> {
  readonly #opener: Opener;
  readonly #snapshots: Pick<Snapshots, "source">;

  constructor(opener: Opener, snapshots: Pick<Snapshots, "source">) {
    this.#opener = opener;
    this.#snapshots = snapshots;
  }

  provideDocumentLinks(document: vscode.TextDocument): ResultLink[] {
    const links: ResultLink[] = [];
    let repository: RepositoryEntry | undefined;
    let path: string | undefined;
    for (const entry of readEntries(document.getText())) {
      if (entry.kind === "repository") {
        repository = entry;
        path = undefined;
      } else if (repository !== undefined && entry.kind === "path") {
        path = entry.path;
        const { text } = document.lineAt(entry.line);
        links.push(
          new ResultLink(new vscode.Range(entry.line, 2, entry.line, text.length), repository, path),
        );
      } else if (repository !== undefined && path !== undefined && entry.kind === "text") {
        const range = new vscode.Range(entry.line, entry.start, entry.line, entry.end);
        links.push(new ResultLink(range, repository, path, entry));
      }
    }
    return links;
  }

  async resolveDocumentLink(
    link: ResultLink,
    token: vscode.CancellationToken,
  ): Promise<ResultLink | undefined> {
    const file = await this.#fileOf(link);
    const found = await this.#opener.find(file, linesOf(file)[0], undefined, token).catch(() => undefined);
    if (found === undefined) return undefined;
    const { uri, selection } = found;
    const fragment = selection && `L${selection.start.line + 1},${selection.start.character + 1}`;
    link.target = fragment === undefined ? uri : uri.with({ fragment });
    return link;
  }

  /** Returns the result that a line of the document represents. */
  async #fileOf({ repository: { repository, commit, origin }, path, found }: ResultLink): Promise<FileMatch> {
    const source =
      origin === "commit"
        ? await this.#snapshots.source({ repository, commit, path }).catch(() => undefined)
        : undefined;
    return matchAtLocation({
      repository,
      path,
      origin,
      commit: source?.commit ?? commit,
      blobSha: source?.blobSha ?? "",
      ...(found === undefined ? {} : { line: found }),
    });
  }
}

/** The line of a repository or file, with the last line below it. */
interface Section {
  readonly entry: RepositoryEntry | PathEntry;
  readonly end: number;
  readonly children: Section[];
}

function sections(document: vscode.TextDocument): readonly Section[] {
  const found: { entry: RepositoryEntry | PathEntry; end: number; children: Section[] }[] = [];
  for (const entry of readEntries(document.getText())) {
    const repository = found.at(-1);
    if (entry.kind === "repository") {
      found.push({ entry, end: entry.line, children: [] });
      continue;
    }
    if (repository === undefined) continue;
    repository.end = entry.line;
    if (entry.kind === "path") repository.children.push({ entry, end: entry.line, children: [] });
    else {
      const file = repository.children.pop();
      if (file !== undefined) repository.children.push({ ...file, end: entry.line });
    }
  }
  return found;
}

function foldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
  return sections(document)
    .flatMap((section) => [section, ...section.children])
    .filter(({ entry, end }) => end > entry.line)
    .map(({ entry, end }) => new vscode.FoldingRange(entry.line, end, vscode.FoldingRangeKind.Region));
}

function outline(document: vscode.TextDocument): vscode.DocumentSymbol[] {
  return sections(document).map((section) => symbolOf(document, section));
}

function symbolOf(document: vscode.TextDocument, { entry, end, children }: Section): vscode.DocumentSymbol {
  const isFile = entry.kind === "path";
  const symbol = new vscode.DocumentSymbol(
    isFile ? entry.path : entry.repository,
    isFile ? "" : entry.commit,
    isFile ? vscode.SymbolKind.File : vscode.SymbolKind.Module,
    new vscode.Range(entry.line, 0, end, document.lineAt(end).text.length),
    document.lineAt(entry.line).range,
  );
  symbol.children = children.map((child) => symbolOf(document, child));
  return symbol;
}

function lenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const header = readHeader(document.getText());
  if (header === undefined) return [];
  const range = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, command: string) =>
    new vscode.CodeLens(range, { title, command: `trawl.${command}` });
  return [
    lens(vscode.l10n.t("Run Again"), "results.rerun"),
    lens(vscode.l10n.t("Less Context"), "results.lessContext"),
    lens(vscode.l10n.t("More Context"), "results.moreContext"),
  ];
}
