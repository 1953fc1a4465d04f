/** Does one job of an indexer beside a Zoekt node. */
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { ServiceError } from "#base/error";
import { openGitRepository } from "#git/repository";
import type { Files } from "#platform/files";
import { TimeLimit } from "#platform/timeLimit";
import { fetchShallow } from "./fetchShallow";
import { copyShallow } from "./shallowCopy";
import { copyConfiguration, indexTimeoutMs, removeShards, runZoektIndex, temporaryCopy } from "./zoektRun";

export interface IndexJobContext {
  readonly indexFolder: string;
  /** The program `zoekt-git-index`: a path, or a name on the PATH. */
  readonly program: string;
  /** For copies of repositories while they are indexed. */
  readonly temporaryFolder: string;
  readonly files: Files;
  /** The token for sources with a URL. Absent: none is sent. */
  readonly token?: SourceToken | undefined;
}

export interface SourceToken {
  /** The only server that it may be sent to. */
  readonly origin: string;
  read(): Promise<string>;
}

/** Jobs come from a database, so they are checked before anything of them reaches a file or an argument. */
const Job = z.object({
  repositoryId: z
    .int()
    .min(1)
    .max(2 ** 32 - 1),
  name: z.string().min(1).max(1000),
  source: z
    .string()
    .max(4000)
    .refine((source) => isAbsolute(source) || (/^(https?|file):\/\//.test(source) && URL.canParse(source))),
  maxFileBytes: z.int().min(1),
  revisions: z
    .array(
      z.object({
        name: z.string().regex(/^(HEAD|refs\/[^\s,\p{Cc}]+)$/u),
        commit: z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/),
      }),
    )
    .max(64),
});

/**
 * Fetches the commits of a job, and indexes them; without revisions, removes the repository from the node.
 *
 * Throws UNEXPECTED_ERROR for an invalid job and with the message of the program, GIT_FAILED, TIMED_OUT and CANCELLED.
 */
export async function runIndexJob(
  job: unknown,
  context: IndexJobContext,
  signal: AbortSignal,
): Promise<void> {
  const parsed = Job.safeParse(job);
  if (!parsed.success)
    throw new ServiceError("UNEXPECTED_ERROR", `The job is invalid: ${z.prettifyError(parsed.error)}`);
  const { repositoryId: id, name, source, maxFileBytes, revisions } = parsed.data;
  const { indexFolder, program, temporaryFolder, files } = context;
  if (revisions.length === 0) return removeShards(indexFolder, id, files);
  const copy = temporaryCopy(temporaryFolder, id, name);
  files.removeFolder(copy.root);
  const limit = new TimeLimit(signal, indexTimeoutMs);
  try {
    await copyCommits(source, copy.gitDir, parsed.data, context, limit.signal);
    const repository = { id, name };
    const run = { program, indexFolder, copy, repository, revisions, maxFileBytes, files };
    await runZoektIndex(run, limit.signal);
  } catch (error) {
    if (limit.isExpired && !signal.aborted)
      throw new ServiceError("TIMED_OUT", `Indexing ${name} took longer than an hour.`, { cause: error });
    throw error;
  } finally {
    limit.dispose();
    files.removeFolder(copy.root);
  }
}

async function copyCommits(
  source: string,
  gitDir: string,
  { repositoryId, name, revisions }: z.output<typeof Job>,
  { files, token: sourceToken }: IndexJobContext,
  signal: AbortSignal,
): Promise<void> {
  const configuration = copyConfiguration(repositoryId, name);
  if (/^https?:/.test(source)) {
    const { origin } = new URL(source);
    if (sourceToken !== undefined && sourceToken.origin !== origin)
      throw new ServiceError(
        "UNEXPECTED_ERROR",
        `${name} cannot be fetched from ${origin}, because "engine.zoekt.gitUrl" of the indexer names another server. Give Trawl and its indexers the same configuration.`,
      );
    const token = await sourceToken?.read();
    const options = { token, configuration, files, timeoutMs: indexTimeoutMs };
    return await fetchShallow(source, gitDir, revisions, options, signal);
  }
  const path = source.startsWith("file:") ? fileURLToPath(source) : source;
  await copyShallow(openGitRepository(path), gitDir, revisions, configuration, files, signal);
}
