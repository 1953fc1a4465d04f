/** The list of repositories that a git server has, as JSON with an entity tag. */
import { createHash } from "node:crypto";
import type { ListedRepository } from "#gitServer/protocol";
import { isPlainFolder, type Repository } from "#model/repository";

interface EncodedList {
  readonly from: readonly Repository[];
  readonly json: Buffer;
  readonly tag: string;
}

export class RepositoryListEncoder {
  readonly #all: () => readonly Repository[];
  #encoded: EncodedList | undefined;

  /** `all` returns another array whenever a repository has changed. */
  constructor(all: () => readonly Repository[]) {
    this.#all = all;
  }

  current(): Pick<EncodedList, "json" | "tag"> {
    const from = this.#all();
    if (this.#encoded?.from === from) return this.#encoded;
    const repositories = from.filter(({ kind }) => !isPlainFolder(kind)).map(toListed);
    const json = Buffer.from(JSON.stringify({ repositories }));
    const tag = `"${createHash("sha256").update(json).digest("base64url")}"`;
    this.#encoded = { from, json, tag };
    return this.#encoded;
  }
}

function toListed(repository: Repository): ListedRepository {
  const { name, formerNames, displayName, codeHostType, hostUrl, isFork, isArchived, isPublic } = repository;
  const { stars, topics, defaultRevision, revisions, state, lastError, pushedAt, indexedAt } = repository;
  return {
    name,
    ...(formerNames === undefined ? {} : { formerNames: [...formerNames] }),
    ...(displayName === undefined ? {} : { displayName }),
    codeHostType,
    ...(hostUrl === undefined ? {} : { hostUrl }),
    isFork,
    isArchived,
    isPublic,
    ...(stars === undefined ? {} : { stars }),
    ...(topics === undefined ? {} : { topics: [...topics] }),
    ...(defaultRevision === undefined ? {} : { defaultRevision }),
    revisions: revisions.map((revision) => ({ name: revision.name, commit: revision.commit })),
    state,
    ...(lastError === undefined ? {} : { lastError }),
    ...(pushedAt === undefined ? {} : { pushedAt }),
    ...(indexedAt === undefined ? {} : { indexedAt: Math.round(indexedAt) }),
  };
}
