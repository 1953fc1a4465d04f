/** One file at a revision. */
import { ServiceError } from "#base/error";
import type { FileSource, SourceRequest } from "#contract/history";
import type { Handler } from "#contract/service";
import { attributesOnDisk, isAttributesFile } from "#git/attributesFiles";
import { blobName } from "#git/blobName";
import { bytePathOfText, folderOf, textOf } from "#git/bytePath";
import { neverRead } from "#git/folderFiles";
import { answerTooLarge, maxGitAnswerBytes } from "#git/question";
import { type FoundEntry, findEntry, folderMode, submoduleMode, symlinkMode } from "#git/treePath";
import { WorkingFiles } from "#git/workingFile";
import { type AttributesFile, linguistAttributes } from "#languages/attributes";
import { detectLanguage } from "#languages/detect";
import type { Repository } from "#model/repository";
import { checkLines, checkPath, type History, type LineStretch, type OpenRevision } from "./history";
import { browseUrl, hostFileUrl, hostRepositoryUrl, withLines } from "./webLinks";

export function sourceHandlers(history: History): { source: Handler<"source"> } {
  return {
    async source({ repo, path, ref, lines, encoding }, context) {
      const repository = history.repository(repo);
      const inside = checkPath(path, "INVALID_QUERY_PARAMS");
      const stretch = lines ? checkLines(lines) : undefined;
      const told = { ref, stretch, encoding, baseUrl: context.baseUrl };
      if (repository.kind === "folder" && (ref === undefined || ref === "HEAD")) {
        return present(readOnDisk(repository, inside), repository, told);
      }
      const revision = await history.resolve(history.open(repository, context), ref);
      const file = await readFile(revision, inside);
      if (answerLength(file.bytes, encoding) > maxGitAnswerBytes) throw answerTooLarge();
      return present(file, repository, told);
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

/** Throws FILE_NOT_FOUND, and what reading objects throws. */
export async function readFile(revision: OpenRevision, path: string): Promise<SourceFile> {
  const { objects, commit, name } = revision;
  const entry = await fileAt(revision, path);
  const blob = await objects.read(entry.hash);
  if (blob === undefined) {
    throw notFound(path, revision.repository, "its content is not in this clone, which has only a part");
  }
  const { bytes } = blob;
  const isLink = entry.mode === symlinkMode;
  const language = isLink ? "" : await languageAt(revision, entry, bytes);
  return { path, bytes, language, blobSha: entry.hash, commit, ...(name === undefined ? {} : { name }) };
}

/** A file or symbolic link. Throws FILE_NOT_FOUND, also for a folder and a submodule. */
export async function fileAt(
  { objects, commit, repository }: OpenRevision,
  path: string,
): Promise<FoundEntry> {
  const entry = path === "" ? undefined : await findEntry(objects, commit, path.replace(/\/$/, ""));
  if (path === "" || entry?.mode === folderMode) throw notFound(path, repository, "it is a directory");
  if (entry?.mode === submoduleMode) {
    throw notFound(path, repository, `it is a submodule at ${entry.hash}`);
  }
  if (entry === undefined || path.endsWith("/")) throw notFound(path, repository);
  return entry;
}

/** About what it takes in an answer; in a text a control character becomes six bytes, as in `\u0000`. */
function answerLength(bytes: Buffer, encoding: SourceRequest["encoding"]): number {
  if (encoding === "base64") return Math.ceil(bytes.length / 3) * 4;
  if (bytes.length * 6 <= maxGitAnswerBytes) return bytes.length;
  let length = bytes.length;
  for (const byte of bytes)
    if (byte < 0x20) length += byte === 0x0a || byte === 0x0d || byte === 0x09 ? 1 : 5;
  return length;
}

async function languageAt(revision: OpenRevision, entry: FoundEntry, bytes: Buffer): Promise<string> {
  const files: AttributesFile[] = [];
  for (const entries of entry.around) {
    const found = entries.find(({ path, mode }) => isAttributesFile(path) && mode.startsWith("100"));
    const text = found && (await revision.objects.read(found.hash))?.bytes.toString("utf8");
    if (found && text !== undefined) files.push({ folder: textOf(folderOf(found.path)), text });
  }
  return languageOf(files, textOf(entry.path), bytes);
}

function languageOf(files: readonly AttributesFile[], path: string, bytes: Buffer): string {
  return linguistAttributes(files)(path).language ?? detectLanguage(path, bytes);
}

/** Of a plain folder. Throws FILE_NOT_FOUND, ANSWER_TOO_LARGE. */
function readOnDisk(repository: Repository, path: string): SourceFile {
  const files = new WorkingFiles(repository.path);
  const bytePath = bytePathOfText(path);
  const found = path === "" ? undefined : files.read(bytePath, maxGitAnswerBytes);
  if (found?.kind === "tooLarge") throw answerTooLarge();
  if (found?.kind !== "content" || isHidden(path)) throw notFound(path, repository);
  const { bytes } = found;
  const language = languageOf(attributesOnDisk(files, [bytePath]), path, bytes);
  return { path, bytes, language, blobSha: blobName(bytes), commit: "" };
}

/** What is never indexed is not shown either. */
function isHidden(path: string): boolean {
  return path.split("/").some((segment) => neverRead.has(segment));
}

function notFound(path: string, { name }: Repository, reason?: string): ServiceError {
  const why = reason === undefined ? "" : `: ${reason}`;
  return new ServiceError(
    "FILE_NOT_FOUND",
    `File ${JSON.stringify(path)} not found in repository "${name}"${why}.`,
  );
}

/** What an answer says of its question. */
interface Asked {
  readonly ref: string | undefined;
  /** Lines that its links lead to. */
  readonly stretch: LineStretch | undefined;
  readonly encoding: SourceRequest["encoding"];
  readonly baseUrl: string | undefined;
}

function present(
  { bytes, language, path, blobSha, commit, name }: SourceFile,
  repository: Repository,
  { ref, stretch, encoding, baseUrl }: Asked,
): FileSource {
  return {
    source: bytes.toString(encoding),
    language,
    path,
    repo: repository.name,
    repoCodeHostType: repository.codeHostType,
    repoDisplayName: repository.displayName ?? repository.name,
    repoExternalWebUrl: hostRepositoryUrl(repository),
    webUrl: withLines(browseUrl(baseUrl, repository.name, ref ?? repository.defaultRevision, path), stretch),
    externalWebUrl: hostFileUrl(repository, name ?? "", commit, path, stretch),
    blobSha,
    commit,
  };
}
