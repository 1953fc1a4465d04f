/**
 * Converts between the client's URIs and positions, in the client's column unit, and the service's repositories,
 * commits, paths and code point columns.
 *
 * A file on this computer has a `file:` URI. A file at a commit has a `trawl:` URI or, for clients that cannot open
 * those, the `file:` URI of a read-only copy.
 */
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { Location, Position, Range } from "vscode-languageserver/node";
import { URI } from "vscode-uri";
import { isServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import type { OperationName } from "#contract/operations";
import type { RequestInput, ResponseOf } from "#contract/service";
import { parseSnapshotUri, type SnapshotLocation, snapshotUri } from "#contract/snapshotUri";
import type * as contract from "#contract/symbols";
import { codePointsBefore, unitsBefore } from "./columns";
import type { OpenDocuments } from "./documents";
import { parseUri } from "./paths";
import type { LspSession } from "./requests";
import type { SnapshotCopies } from "./snapshotCopies";

/** Calls the service for one request of the client. */
export type SendRequest = <Name extends OperationName>(
  name: Name,
  request: RequestInput<Name>,
) => Promise<ResponseOf<Name>>;

/** A name in a file, as the service found it. */
export interface FoundName {
  readonly file: OpenableFile;
  readonly match: Pick<contract.SymbolMatch, "lineContent" | "range">;
}

type OpenableFile = Pick<contract.SymbolFile, "localPath" | "repository" | "commit" | "fileName">;
type ServiceRange = contract.OutlineSymbol["range"];
type FilePosition = RequestInput<"symbolAt">["place"];

/** Maximum number of copies that are written concurrently. */
const maxParallelCopies = 8;

export interface LocationsOptions {
  readonly session: Pick<LspSession, "features" | "log">;
  readonly documents: Pick<OpenDocuments, "lineOf" | "isOpen">;
  readonly copies: SnapshotCopies;
}

export class LocationConverter {
  readonly #options: LocationsOptions;
  readonly #limiter = new Limiter(maxParallelCopies);

  constructor(options: LocationsOptions) {
    this.#options = options;
  }

  /**
   * Converts a URI, and optionally a position in it, to a location of the service. Returns `undefined` for documents
   * that are neither files on disk nor files at a commit.
   */
  async toFilePosition(
    send: SendRequest,
    uri: string,
    position?: Position,
  ): Promise<FilePosition | undefined> {
    const file = this.#fileOf(uri);
    if (file === undefined || position === undefined) return file;
    const line = (await this.#lineReader(send, uri))(position.line);
    const before =
      line === undefined ? position.character : codePointsBefore(line, position.character, this.#columnUnit);
    return { ...file, lineNumber: position.line + 1, column: before + 1 };
  }

  /**
   * Returns a function that converts ranges in a document. Counts the units of each line only once, because a line may
   * be long and contain many ranges.
   */
  async rangeConverter(send: SendRequest, uri: string): Promise<(range: ServiceRange) => Range> {
    const lineOf = await this.#lineReader(send, uri);
    const columns = new Map<number, (codePoints: number) => number>();
    const toPosition = ({ lineNumber, column }: ServiceRange["start"]) => {
      const units = columns.get(lineNumber) ?? unitsBefore(lineOf(lineNumber - 1), this.#columnUnit);
      columns.set(lineNumber, units);
      return { line: lineNumber - 1, character: units(column - 1) };
    };
    return ({ start, end }) => ({ start: toPosition(start), end: toPosition(end) });
  }

  /**
   * Returns one location for each name, in the same order; `undefined` if its file cannot be opened, which is logged.
   */
  async toLocations(send: SendRequest, names: readonly FoundName[]): Promise<(Location | undefined)[]> {
    const files = new Set(names.map(({ file }) => file));
    const uris = new Map(
      await Promise.all([...files].map(async (file) => [file, await this.#uriOf(send, file)] as const)),
    );
    return names.map(({ file, match }) => {
      const uri = uris.get(file);
      return uri === undefined ? undefined : { uri, range: this.#rangeInLine(match) };
    });
  }

  /** Returns the text of a `trawl:` document, or `undefined` for other URIs. Rejects if there is no such file. */
  async readSnapshot(send: SendRequest, uri: string): Promise<string | undefined> {
    const snapshot = snapshotOf(uri);
    if (snapshot === undefined) return undefined;
    return (await send("source", sourceRequest(snapshot))).source;
  }

  get #columnUnit() {
    return this.#options.session.features().columnUnit;
  }

  #fileOf(uri: string): Omit<FilePosition, "lineNumber" | "column"> | undefined {
    const parsed = parseUri(uri);
    const isFile = parsed?.scheme === "file";
    const snapshot = isFile ? this.#options.copies.originOf(parsed.fsPath) : snapshotOf(uri);
    if (snapshot !== undefined) return sourceRequest(snapshot);
    return isFile ? { file: parsed.fsPath } : undefined;
  }

  /**
   * Returns a function that looks up lines, counted from 0, in the open document, or else in the file that the URI
   * names. Lines may include their terminators.
   */
  async #lineReader(send: SendRequest, uri: string): Promise<(line: number) => string | undefined> {
    const { documents } = this.#options;
    if (documents.isOpen(uri)) return (line) => documents.lineOf(uri, line);
    const parsed = parseUri(uri);
    const read = parsed?.scheme === "file" ? readFile(parsed.fsPath, "utf8") : this.readSnapshot(send, uri);
    // Without the text, each code point counts as one unit. The request itself then reports why it cannot be read.
    const text = await read.catch(() => undefined);
    const lines = text?.split("\n");
    return (line) => lines?.[line];
  }

  async #uriOf(send: SendRequest, file: OpenableFile): Promise<string | undefined> {
    const { localPath, repository, commit = "", fileName: path } = file;
    if (localPath !== undefined) return pathToFileURL(localPath).href;
    const { session, copies } = this.#options;
    const snapshot = { repository, commit, path };
    const { scheme, path: uriPath } = snapshotUri(snapshot);
    if (session.features().snapshots !== "copies") return URI.from({ scheme, path: uriPath }).toString();
    try {
      const read = async () => {
        const { source } = await send("source", { ...sourceRequest(snapshot), encoding: "base64" });
        return Buffer.from(source, "base64");
      };
      return pathToFileURL(await this.#limiter.run(() => copies.pathOf(snapshot, read))).href;
    } catch (error) {
      if (isServiceError(error, "CANCELLED")) throw error;
      session.log.error(`Cannot open ${path} in ${repository}.`, { error });
      return undefined;
    }
  }

  /** Both ends are on the line `lineContent`, because names contain no line breaks. */
  #rangeInLine({ lineContent, range: { start, end } }: FoundName["match"]): Range {
    const units = unitsBefore(lineContent, this.#columnUnit);
    const toPosition = ({ lineNumber, column }: typeof start) => ({
      line: lineNumber - 1,
      character: units(column - 1),
    });
    return { start: toPosition(start), end: toPosition(end) };
  }
}

function snapshotOf(uri: string): SnapshotLocation | undefined {
  const parsed = parseUri(uri);
  const snapshot = parsed && parseSnapshotUri(parsed);
  return snapshot === undefined || snapshot.path === "" ? undefined : snapshot;
}

function sourceRequest({ repository, path, commit }: SnapshotLocation) {
  return { repo: repository, path, ...(commit === "" ? {} : { ref: commit }) };
}
