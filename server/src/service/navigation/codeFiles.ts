/** Reads the file that a symbol request refers to: committed, on disk, or unsaved in the caller's editor. */
import { join, relative, sep } from "node:path";
import { ServiceError } from "#base/error";
import { TextPositions } from "#base/textPositions";
import type { CallContext } from "#contract/service";
import type { CodeLocation } from "#contract/symbols";
import { blobHash } from "#git/objects/blobHash";
import { WorkingFiles } from "#git/workTree/workingFile";
import type { Origin } from "#model/document";
import { isPlainFolder, type Repository } from "#model/repository";
import { checkPath, type History } from "#service/history/history";
import { currentContent, findUnsavedDocument } from "#service/history/locate";
import { fileNotFound, readFile, type SourceFile } from "#service/history/source";
import type { RepositoryView } from "#service/repositories/repositoryView";
import type { PlanOptions } from "#service/search/searchPlan";
import type { SourceText } from "#symbols/symbols";

/** The content of a file, and where it comes from. */
export interface CodeText extends SourceText {
  readonly repository: Repository;
  readonly path: string;
  /** The requested revision, if any. */
  readonly ref?: string;
  /** Empty if the content is not from a commit. */
  readonly commit: string;
  readonly blobSha: string;
  readonly origin: Origin;
  readonly positions: TextPositions;
}

export interface CodeFilesOptions {
  readonly history: History;
  readonly repositories: RepositoryView;
  readonly languageOf: PlanOptions["languageOf"];
}

/** A file or repository, possibly at a revision. */
export interface FileLocation {
  readonly repository: Repository;
  /** If absent, the whole repository. */
  readonly path?: string;
  readonly ref?: string;
}

export class CodeFiles {
  readonly #options: CodeFilesOptions;

  constructor(options: CodeFilesOptions) {
    this.#options = options;
  }

  /** Resolves the location of a request. Throws INVALID_REQUEST_BODY, NOT_FOUND. */
  find(location: CodeLocation, { actor }: Pick<CallContext, "actor">): FileLocation {
    const { history, repositories } = this.#options;
    const { repo, path, ref, file } = location;
    if (file !== undefined) {
      if (actor.kind !== "local") {
        throw new ServiceError(
          "INVALID_REQUEST_BODY",
          `Only the local user may send "file". Use "repo" and "path" instead.`,
        );
      }
      const repository = repositories.containing(file);
      if (repository === undefined)
        throw new ServiceError("NOT_FOUND", "The file is not in an indexed repository.");
      return { repository, path: relative(repository.path, file).split(sep).join("/") };
    }
    if (repo === undefined) {
      throw new ServiceError("INVALID_REQUEST_BODY", `A location needs "repo", the name of a repository.`);
    }
    const repository = history.repository(repo);
    return {
      repository,
      ...(path === undefined ? {} : { path: checkPath(path, "INVALID_REQUEST_BODY") }),
      ...(ref === undefined ? {} : { ref }),
    };
  }

  /**
   * Reads the file on disk or its unsaved text; if a revision is requested or there is no such file, reads it from git.
   *
   * Throws INVALID_REQUEST_BODY without a path, FILE_NOT_FOUND, and the errors of reading at a revision.
   */
  async read({ repository, path, ref }: FileLocation, context: CallContext): Promise<CodeText> {
    if (path === undefined || path === "") {
      throw new ServiceError("INVALID_REQUEST_BODY", `A location needs "path", the path of a file.`);
    }
    if (ref !== undefined) return await this.#atRevision(repository, path, ref, context);
    const code = this.#onDisk(repository, path, context);
    if (code !== undefined) return code;
    if (isPlainFolder(repository.kind)) throw fileNotFound(path, repository);
    return await this.#atRevision(repository, path, ref, context);
  }

  async #atRevision(
    repository: Repository,
    path: string,
    ref: string | undefined,
    context: CallContext,
  ): Promise<CodeText> {
    const { bytes, language, blobSha, commit } = await this.#readCommitted(repository, path, ref, context);
    return {
      repository,
      path,
      ...(ref === undefined ? {} : { ref }),
      language,
      commit,
      blobSha,
      origin: "commit",
      content: bytes,
      positions: new TextPositions(bytes),
    };
  }

  async #readCommitted(
    repository: Repository,
    path: string,
    ref: string | undefined,
    context: CallContext,
  ): Promise<Pick<SourceFile, "bytes" | "language" | "blobSha" | "commit">> {
    const { history } = this.#options;
    if (history.remote === undefined)
      return await readFile(await history.resolve(history.open(repository, context), ref), path);
    const request = {
      repo: repository.name,
      path,
      encoding: "base64",
      ...(ref === undefined ? {} : { ref }),
    } as const;
    const { source, ...file } = await history.remote.call("source", repository.name, request, context);
    return { ...file, bytes: Buffer.from(source, "base64") };
  }

  #onDisk(repository: Repository, path: string, context: CallContext): CodeText | undefined {
    if (repository.kind === "bare") return undefined;
    const names = path.split("/");
    const absolutePath = join(repository.path, ...names);
    // A repository inside has rights of its own, and git's files are not part of the working tree.
    if (names.includes(".git") || this.#options.repositories.containing(absolutePath)?.id !== repository.id)
      return undefined;
    const unsaved = context.unsaved ?? [];
    const content = currentContent(new WorkingFiles(repository.path), path, absolutePath, unsaved);
    if (typeof content === "string") return undefined;
    return {
      repository,
      path,
      language: this.#options.languageOf(repository.path, path, content.toString("utf8")),
      commit: "",
      blobSha: blobHash(content),
      origin: findUnsavedDocument(absolutePath, unsaved) === undefined ? "workingTree" : "unsaved",
      content,
      positions: new TextPositions(content),
    };
  }
}
