/** Opens a connection to a code host. Loads only the adapter of its type. */
import { isServiceError, ServiceError, usageError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import { type Clock, systemClock } from "#platform/clock";
import type { Adapter, RepositoryKey } from "./adapter";
import type { CodeHost, LookUp, Readers } from "./codeHost";
import type { Connection, SecretSource, TokenSource } from "./connection";
import { MissingEditorToken } from "./editorTokens";
import { absenceStatus, HostFailure, problemOf } from "./failure";
import { InstallationTokens } from "./githubApp";
import { listScope, readRepository } from "./listing";
import type { HostProxy } from "./proxy";
import { askReaders, readersAfter } from "./readers";
import { type HostResponse, Requests } from "./requests";
import { readSecret, type Secret } from "./secret";

export interface HostOptions {
  readonly clock?: Clock;
  readonly requestTimeoutMs?: number;
  /** Replaces the URL of the host's API. */
  readonly apiUrl?: string;
  /** Reads a token that an editor keeps for an origin. */
  readonly readEditorToken?: (name: string, origin: string) => Promise<Secret>;
}

/** Opens the connection of this name. Sends nothing yet. */
export function openHost(name: string, connection: Connection, options: HostOptions = {}): CodeHost {
  const { token, proxy, proxyLogin } = connection;
  const { clock = systemClock } = options;
  const app = connection.type === "github" ? connection.app : undefined;
  const tokens = app && new InstallationTokens(app, clock);
  const closing = new AbortController();
  const readInstallationToken = async (issuer: InstallationTokens, signal: AbortSignal) => {
    const host = await open();
    const read = issuer.read(host.requests, host.adapter.api.base, closing.signal);
    return await untilAborted(read, signal).catch((error: unknown) => {
      throw isServiceError(error, "USAGE") ? usageError(`Connection "${name}": ${error.message}`) : error;
    });
  };
  const readToken = tokens
    ? (signal: AbortSignal) => readInstallationToken(tokens, signal)
    : token && (() => readTokenOf(name, token, connection, options));
  const readProxy = async (url: string): Promise<HostProxy> => {
    if (proxyLogin === undefined) return { url };
    const password = await readSecretOf(name, proxyLogin.password);
    return { url, login: { user: proxyLogin.user, password } };
  };
  let opened: Promise<OpenedHost> | undefined;
  let requests: Requests | undefined;
  const open = () => {
    opened ??= createAdapter(connection, options.apiUrl).then((adapter) => {
      requests = new Requests(adapter.api, {
        clock,
        caFile: connection.caFile,
        requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
        ...(readToken === undefined ? {} : { readToken }),
        ...(tokens === undefined ? {} : { forgetToken: (refused: string) => tokens.forget(refused) }),
        ...(proxy === undefined ? {} : { readProxy: () => readProxy(proxy) }),
      });
      return { adapter, requests };
    });
    return opened;
  };

  return {
    get requestCount() {
      return requests?.requestCount ?? 0;
    },
    async identify(signal) {
      const host = await open();
      try {
        const identity = await host.adapter.identify(host.requests, signal);
        const rateLimit = identity.rateLimit ?? host.requests.rateLimit();
        return { ...identity, ...(rateLimit === undefined ? {} : { rateLimit }) };
      } catch (error) {
        return problemOf(error);
      }
    },
    async *list(signal) {
      const host = await open();
      for (const scope of host.adapter.scopes)
        yield await listScope(host.adapter, host.requests, scope, signal);
    },
    async lookUp(repository, signal): Promise<LookUp> {
      return await lookUp(await open(), repository, signal);
    },
    async readers(repository, logins, signal): Promise<Readers> {
      const { adapter, requests } = await open();
      const { readers } = adapter;
      if (readers === undefined)
        return {
          kind: "unknown",
          problem: { message: "The host cannot be asked who may read a repository." },
        };
      if (logins.length === 0) return { kind: "known", logins: [] };
      if (readers.kind === "each") {
        // Another repository may have taken its path.
        const found = await lookUp({ adapter, requests }, repository, signal);
        if (found.kind === "unknown") return readersAfter(found.problem);
        if (found.kind === "gone" || found.repository.path !== repository.path)
          return { kind: "refused", problem: { message: "The repository is no longer at its path." } };
      }
      return await askReaders(readers, { repository, logins, requests, signal });
    },
    async gitCredentials(signal = closing.signal) {
      if (readToken === undefined) return undefined;
      try {
        const [{ adapter }, password] = await Promise.all([open(), readToken(signal)]);
        return { user: adapter.gitUser, password };
      } catch (error) {
        throw error instanceof HostFailure ? new ServiceError("GIT_FAILED", error.message) : error;
      }
    },
    hasTemporaryCredentials: tokens !== undefined,
    async proxy() {
      return proxy === undefined ? undefined : await readProxy(proxy);
    },
    async close() {
      closing.abort();
      await requests?.close();
    },
  };
}

interface OpenedHost {
  readonly adapter: Adapter;
  readonly requests: Requests;
}

async function lookUp(
  { adapter, requests }: OpenedHost,
  repository: RepositoryKey,
  signal: AbortSignal,
): Promise<LookUp> {
  try {
    if (adapter.lookUp !== undefined) return await adapter.lookUp(repository, requests, signal);
    const read = ({ body, url }: HostResponse) => readRepository(adapter, body, url);
    const found = await requests.get(adapter.lookUpUrl(repository), read, signal);
    if (found?.hostId === repository.hostId) return { kind: "present", repository: found };
    if (found !== undefined && adapter.looksUpByPath) return { kind: "gone", status: 404 };
    return { kind: "unknown", problem: { message: "The host responded with another repository." } };
  } catch (error) {
    const status = absenceStatus(error);
    return status === undefined ? { kind: "unknown", problem: problemOf(error) } : { kind: "gone", status };
  }
}

/** Rejects with USAGE: with `MissingEditorToken` if no editor is connected that has the token. */
async function readTokenOf(
  name: string,
  { editor, ...source }: TokenSource,
  connection: Connection,
  { readEditorToken }: HostOptions,
): Promise<Secret> {
  if (editor === undefined) return await readSecretOf(name, source);
  if (readEditorToken === undefined) throw new MissingEditorToken(editor);
  const { url } = { url: "https://bitbucket.org", ...connection };
  return await readEditorToken(editor, new URL(url).origin);
}

async function readSecretOf(name: string, source: SecretSource): Promise<Secret> {
  try {
    return await readSecret(source);
  } catch (error) {
    throw isServiceError(error, "USAGE") ? usageError(`Connection "${name}": ${error.message}`) : error;
  }
}

async function createAdapter(connection: Connection, apiUrl: string | undefined): Promise<Adapter> {
  switch (connection.type) {
    case "github":
      return (await import("./github")).createGithub(connection, apiUrl);
    case "gitlab":
      return (await import("./gitlab")).createGitlab(connection);
    case "gitea":
      return (await import("./gitea")).createGitea(connection);
    case "gerrit":
      return (await import("./gerrit")).createGerrit(connection);
    case "bitbucketServer":
      return (await import("./bitbucketServer")).createBitbucketServer(connection);
    case "bitbucketCloud":
      return (await import("./bitbucketCloud")).createBitbucketCloud(connection, apiUrl);
    case "azuredevops":
      return (await import("./azureDevOps")).createAzureDevOps(connection);
    case "genericGitHost":
      return (await import("./genericGitHost")).createGenericGitHost(connection);
  }
}
