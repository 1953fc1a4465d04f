/** One file at a revision. */
import { ServiceError } from "#base/error";
import type { FileSource, SourceRequest } from "#contract/history";
import type { Handler } from "#contract/service";
import { bytePathFromText, parentOf, textOf } from "#git/bytePath";
import { maxGitOutputBytes, responseTooLarge } from "#git/gitRequest";
import { blobHash } from "#git/objects/blobHash";
import { folderMode, submoduleMode, symlinkMode } from "#git/objects/fileMode";
import { type FoundEntry, findEntry } from "#git/objects/treePath";
import { attributesOnDisk, isAttributesFile } from "#git/workTree/attributesFiles";
import { skippedFolders } from "#git/workTree/folderFiles";
import { WorkingFiles } from "#git/workTree/workingFile";
import { type AttributesFile, linguistAttributes } from "#languages/attributes";
import { detectLanguage } from "#languages/detect";
import { isPlainFolder, type Repository } from "#model/repository";
import {
  addLineAnchor,
  browseUrl,
  hostFileUrl,
  hostRepositoryUrl,
  type LineRange,
} from "#service/repositories/webLinks";
import { checkPath, type History, type OpenRevision, parseLineRange } from "./history";

export function sourceHandlers(history: History): { source: Handler<"source"> } {
  return {
    async source({ repo, path, ref, lines, encoding }, context) {
      const repository = history.repository(repo);
      history.noteUse(repository);
      const relativePath = checkPath(path, "INVALID_QUERY_PARAMS");
      const lineRange = lines ? parseLineRange(lines) : undefined;
      const sourceContext = { ref, lineRange, encoding, baseUrl: context.baseUrl };
      if (isPlainFolder(repository.kind) && (ref === undefined || ref === "HEAD")) {
        return toFileSource(readOnDisk(repository, relativePath), repository, sourceContext);
      }
      const revision = await history.resolve(history.open(repository, context), ref);
      const file = await readFile(revision, relativePath);
      if (encodedLength(file.bytes, encoding) > maxGitOutputBytes) throw responseTooLarge();
      return toFileSource(file, repository, sourceContext);
    },
  };
}

export interface SourceFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly language: string;
  readonly blobSha: string;
  /** Empty for a plain folder. */
  readonly commit: string;
  /** Full name of the branch or tag, `HEAD`, or absent for a commit. */
  readonly name?: string;
}

/** Reads a file at a revision. Throws FILE_NOT_FOUND, and NOT_FOUND if the repository lacks the content. */
export async function readFile(revision: OpenRevision, path: string): Promise<SourceFile> {
  const { objects, commit, name } = revision;
  const entry = await fileAt(revision, path);
  const { bytes } = await objects.readExisting(entry.hash);
  const isLink = entry.mode === symlinkMode;
  const language = isLink ? "" : await languageAt(revision, entry, bytes);
  return { path, bytes, language, blobSha: entry.hash, commit, ...(name === undefined ? {} : { name }) };
}

/** Finds the tree entry of a file or symbolic link. Throws FILE_NOT_FOUND, also for folders and submodules. */
export async function fileAt(
  { objects, commit, repository }: OpenRevision,
  path: string,
): Promise<FoundEntry> {
  const entry = path === "" ? undefined : await findEntry(objects, commit, path.replace(/\/$/, ""));
  if (path === "" || entry?.mode === folderMode) throw fileNotFound(path, repository, "it is a directory");
  if (entry?.mode === submoduleMode) {
    throw fileNotFound(path, repository, `it is a submodule at ${entry.hash}`);
  }
  if (entry === undefined || path.endsWith("/")) throw fileNotFound(path, repository);
  return entry;
}

/** Estimates the size in a response. In JSON, a control character takes six bytes, as in `\u0000`. */
function encodedLength(bytes: Buffer, encoding: SourceRequest["encoding"]): number {
  if (encoding === "base64") return Math.ceil(bytes.length / 3) * 4;
  if (bytes.length * 6 <= maxGitOutputBytes) return bytes.length;
  let length = bytes.length;
  for (const byte of bytes)
    if (byte < 0x20) length += byte === 0x0a || byte === 0x0d || byte === 0x09 ? 1 : 5;
  return length;
}

async function languageAt(revision: OpenRevision, entry: FoundEntry, bytes: Buffer): Promise<string> {
  const files: AttributesFile[] = [];
  for (const entries of entry.ancestors) {
    const found = entries.find(({ path, mode }) => isAttributesFile(path) && mode.startsWith("100"));
    const text = found && (await revision.objects.read(found.hash))?.bytes.toString("utf8");
    if (found && text !== undefined) files.push({ folder: textOf(parentOf(found.path)), text });
  }
  return languageOf(files, textOf(entry.path), bytes);
}

function languageOf(files: readonly AttributesFile[], path: string, bytes: Buffer): string {
  return linguistAttributes(files)(path).language ?? detectLanguage(path, bytes);
}

/** Reads a file of a plain folder. Throws FILE_NOT_FOUND, ANSWER_TOO_LARGE. */
function readOnDisk(repository: Repository, path: string): SourceFile {
  const files = new WorkingFiles(repository.path);
  const bytePath = bytePathFromText(path);
  const found = path === "" ? undefined : files.read(bytePath, maxGitOutputBytes);
  if (found?.kind === "tooLarge") throw responseTooLarge();
  if (found?.kind !== "content" || isHidden(path)) throw fileNotFound(path, repository);
  const { bytes } = found;
  const language = languageOf(attributesOnDisk(files, [bytePath]), path, bytes);
  return { path, bytes, language, blobSha: blobHash(bytes), commit: "" };
}

/** Folders that are never indexed are not shown either. */
function isHidden(path: string): boolean {
  return path.split("/").some((segment) => skippedFolders.has(segment));
}

export function fileNotFound(path: string, { name }: Repository, reason?: string): ServiceError {
  const why = reason === undefined ? "" : `: ${reason}`;
  return new ServiceError(
    "FILE_NOT_FOUND",
    `File ${JSON.stringify(path)} not found in repository "${name}"${why}.`,
  );
}

/** The parts of the request that the response depends on. */
interface SourceContext {
  readonly ref: string | undefined;
  /** Lines that the links select. */
  readonly lineRange: LineRange | undefined;
  readonly encoding: SourceRequest["encoding"];
  readonly baseUrl: string | undefined;
}

function toFileSource(
  { bytes, language, path, blobSha, commit, name }: SourceFile,
  repository: Repository,
  { ref, lineRange, encoding, baseUrl }: SourceContext,
): FileSource {
  return {
    source: bytes.toString(encoding),
    language,
    path,
    repo: repository.name,
    repoCodeHostType: repository.codeHostType,
    repoDisplayName: repository.displayName ?? repository.name,
    repoExternalWebUrl: hostRepositoryUrl(repository),
    webUrl: addLineAnchor(
      browseUrl(baseUrl, repository.name, ref ?? repository.defaultRevision, path),
      lineRange,
    ),
    externalWebUrl: hostFileUrl(repository, name ?? "", commit, path, lineRange),
    blobSha,
    commit,
  };
}
