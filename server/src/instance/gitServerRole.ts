/** The role of a git server: an internal port for frontends and git, and no search index. */
import { usageError } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import type { Caller } from "#contract/service";
import { findGitRepository } from "#git/repository";
import { readSecret } from "#hosts/secret";
import { RevisionRecorder } from "#indexing/revisionRecorder";
import { isPlainFolder } from "#model/repository";
import type { Log } from "#platform/log";
import type { Metrics } from "#service/metrics";
import type { ShardDirectory } from "#shard/directory/directory";
import type { ZoektIndexing } from "#sync/refresh";
import { type GitListener, listenForFrontends } from "#transport/git/gitListener";
import type { GitServerSettings } from "./clusterRoles";
import type { ZoektCluster } from "./zoektCluster";

const minSecretLength = 16;

export interface GitServerPortOptions {
  readonly settings: GitServerSettings;
  readonly caller: Caller;
  readonly catalog: Catalog;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Opens the internal port. Throws USAGE if it or the secret is not available. */
export async function openGitServerPort({
  settings,
  caller,
  catalog,
  metrics,
  log,
}: GitServerPortOptions): Promise<GitListener> {
  const { host, port, secret } = settings;
  const read = async () => (await readSecret(secret)).reveal();
  checkSecret(await read(), `"gitServer.secret"`);
  const listener = await listenForFrontends({
    host,
    port,
    readSecret: read,
    caller,
    log,
    repositories: {
      all: () => catalog.all(),
      open(name) {
        const repository = catalog.byName(name);
        if (repository === undefined || isPlainFolder(repository.kind)) return undefined;
        const found = findGitRepository(repository.path);
        return found && { ...found, repositoryName: name };
      },
    },
  });
  metrics.add(
    {
      kind: "gauge",
      name: "trawl_git_fetches_running",
      help: "Requests of git that are being served.",
      read: () => listener.fetches.running,
    },
    {
      kind: "counter",
      name: "trawl_git_fetches_total",
      help: "Requests of git that have ended, by result.",
      label: "result",
      read: () => listener.fetches.ended,
    },
  );
  log.info(`The git server listens at ${listener.url}.`);
  return listener;
}

/** Throws USAGE for a secret that could be guessed, without quoting it. */
export function checkSecret(secret: string, setting: string): void {
  if (secret.length < minSecretLength || !/^[\x21-\x7e]+$/.test(secret))
    throw usageError(
      `The secret of ${setting} must have at least ${minSecretLength} characters of ASCII, without spaces.`,
    );
}

/**
 * Records the revisions of repositories instead of indexing them. A git server that feeds indexers then passes them on, so
 * that history does not wait for the index.
 */
export function recordingIndexer(directory: ShardDirectory, fed?: ZoektCluster): ZoektIndexing {
  const recorder = new RevisionRecorder(directory);
  return {
    fingerprintOf: () => "recorded",
    countsOf: () => undefined,
    async index(repository, chosen, { settings, isRebuild = false }) {
      const manifest = await recorder.index(repository, chosen);
      fed?.feed({ repository, chosen, maxFileBytes: settings.maxFileBytes, isForced: isRebuild });
      return manifest;
    },
  };
}
