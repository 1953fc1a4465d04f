/** Files that a question is asked from: as committed, as on disk, or as in the caller's editor. */
import { join, relative, sep } from "node:path";
import { ServiceError } from "#base/error";
import { TextPlaces } from "#base/textPlaces";
import type { CallContext } from "#contract/service";
import type { CodePlace } from "#contract/symbols";
import { blobName } from "#git/blobName";
import { WorkingFiles } from "#git/workingFile";
import type { Origin } from "#model/document";
import type { Repository } from "#model/repository";
import { checkPath, type History } from "#service/history";
import { currentContent } from "#service/locate";
import type { RepositoryView } from "#service/repositoryView";
import type { PlanOptions } from "#service/searchPlan";
import { readFile } from "#service/source";
import type { SourceText } from "#symbols/symbols";

/** A file that was read for a question about it. */
export interface CodeText extends SourceText {
  readonly repository: Repository;
  readonly path: string;
  /** The revision that was asked for; absent for what is on disk. */
  readonly ref?: string;
  /** Empty for what is in none. */
  readonly commit: string;
  readonly blobSha: string;
  readonly origin: Origin;
  readonly places: TextPlaces;
}

export interface CodePlacesOptions {
  readonly history: History;
  readonly repositories: RepositoryView;
  readonly languageOf: PlanOptions["languageOf"];
}

/** Which file is meant. */
export interface FilePlace {
  readonly repository: Repository;
  /** Absent: the repository as a whole. */
  readonly path?: string;
  readonly ref?: string;
}

export class CodePlaces {
  readonly #options: CodePlacesOptions;

  constructor(options: CodePlacesOptions) {
    this.#options = options;
  }

  /** Throws INVALID_REQUEST_BODY, NOT_FOUND. */
  find(place: CodePlace, { actor }: Pick<CallContext, "actor">): FilePlace {
    const { history, repositories } = this.#options;
    const { repo, path, ref, file } = place;
    if (file !== undefined) {
      if (actor.kind !== "local") {
        throw new ServiceError("INVALID_REQUEST_BODY", `"file" is for the person at this computer.`);
      }
      const repository = repositories.containing(file);
      if (repository === undefined) throw new ServiceError("NOT_FOUND", "The file is in no repository.");
      return { repository, path: relative(repository.path, file).split(sep).join("/") };
    }
    if (repo === undefined) {
      throw new ServiceError("INVALID_REQUEST_BODY", `A place needs "repo", the name of a repository.`);
    }
    const repository = history.repository(repo);
    return {
      repository,
      ...(path === undefined ? {} : { path: checkPath(path, "INVALID_REQUEST_BODY") }),
      ...(ref === undefined ? {} : { ref }),
    };
  }

  /** Throws INVALID_REQUEST_BODY without a path, FILE_NOT_FOUND, and what reading at a revision throws. */
  async read({ repository, path, ref }: FilePlace, context: CallContext): Promise<CodeText> {
    if (path === undefined || path === "") {
      throw new ServiceError("INVALID_REQUEST_BODY", `A place needs "path", the path of a file.`);
    }
    if (ref !== undefined) return await this.#atRevision(repository, path, ref, context);
    return (
      this.#onDisk(repository, path, context) ?? (await this.#atRevision(repository, path, ref, context))
    );
  }

  async #atRevision(
    repository: Repository,
    path: string,
    ref: string | undefined,
    context: CallContext,
  ): Promise<CodeText> {
    const { history } = this.#options;
    const revision = await history.resolve(history.open(repository, context), ref);
    const { bytes, language, blobSha, commit } = await readFile(revision, path);
    return {
      repository,
      path,
      ...(ref === undefined ? {} : { ref }),
      language,
      commit,
      blobSha,
      origin: "commit",
      content: bytes,
      places: new TextPlaces(bytes),
    };
  }

  #onDisk(repository: Repository, path: string, context: CallContext): CodeText | undefined {
    if (repository.kind === "bare") return undefined;
    const place = join(repository.path, ...path.split("/"));
    const content = currentContent(new WorkingFiles(repository.path), path, place, context.unsaved ?? []);
    if (typeof content === "string") return undefined;
    const isUnsaved = (context.unsaved ?? []).some((document) => document.path === place);
    return {
      repository,
      path,
      language: this.#options.languageOf(repository.path, path, content.toString("utf8")),
      commit: "",
      blobSha: blobName(content),
      origin: isUnsaved ? "unsaved" : "workingTree",
      content,
      places: new TextPlaces(content),
    };
  }
}
