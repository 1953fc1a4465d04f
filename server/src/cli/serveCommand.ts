import { parse } from "node:path";
import { isServiceError, usageError } from "#base/error";
import type { IndexingEnd } from "#contract/local";
import type { AnonymousRule } from "#contract/service";
import type { Configuration } from "#instance/configuration";
import type { Instance } from "#instance/instance";
import { homeFolder } from "#platform/environment";
import { logFormats, setLogFormat } from "#platform/log";
import { readConfiguration } from "./configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { formatBytes, formatCount, formatDuration } from "./format";
import { readPathArguments, waitForIndexing } from "./indexCommand";
import { serveIndexer } from "./indexerRole";
import { allRepositories, totalsOf } from "./repositories";
import type { Terminal } from "./terminal";
import { untilInterrupted } from "./untilInterrupted";

/** Serves until it is interrupted or the editor disconnects. */
export async function serveCommand(context: CommandContext, flags: Flags): Promise<number> {
  setLogFormat(flags.choice("log", logFormats) ?? "json");
  const settings = readConfiguration(flags, context.currentFolder, context.defaultDataDir);
  const { role } = settings;
  if (role !== "all" && usesLsp(flags)) throw usageError(`The role "${role}" does not serve editors.`);
  if (role === "indexer") return await serveIndexer(context, flags, settings);
  if (flags.has("node")) throw usageError(`--node needs the role "indexer".`);
  const configuration = addPathArguments(settings, context, flags);
  if (role === "frontend" && configuration.paths.length > 0)
    throw usageError("A frontend has no repositories of its own. Name paths on its git servers.");
  return usesLsp(flags)
    ? await serveEditor(context, flags, configuration)
    : await serveHttp(context, configuration);
}

const lspFlags = ["stdio", "node-ipc", "pipe", "socket"];

function usesLsp(flags: Flags): boolean {
  return lspFlags.some((name) => flags.has(name));
}

export function addPathArguments(
  configuration: Configuration,
  context: CommandContext,
  flags: Flags,
): Configuration {
  return { ...configuration, paths: [...configuration.paths, ...readPathArguments(context, flags)] };
}

async function serveHttp(context: CommandContext, configuration: Configuration): Promise<number> {
  const { terminal } = context;
  const startedAt = performance.now();
  const instance = await context.open(configuration, "serve");
  try {
    if (configuration.role === "gitserver") await announceGitServer(instance, terminal);
    else await announce(context, instance, (text) => terminal.print(text));
    const paths = await pathsToServe(context, instance, configuration);
    await addPaths(context, instance, paths);
    await reportReady(context, instance, startedAt, (text) => terminal.print(text));
    await untilInterrupted(context.interrupted);
  } catch (error) {
    // An interruption during indexing is a clean exit.
    if (!context.interrupted.aborted) throw error;
  } finally {
    await instance.close();
  }
  return 0;
}

/** A language server opens no port unless `--port` is given. */
async function serveEditor(
  context: CommandContext,
  flags: Flags,
  configuration: Configuration,
): Promise<number> {
  const startedAt = performance.now();
  const opened = context.open(configuration, "serve", "forEditor");
  let onClient = (_printError: Terminal["printError"]) => {};
  const client = new Promise<Terminal["printError"]>((resolve) => {
    onClient = resolve;
  });
  const lspSession = context.serveLsp(configuration, opened, onClient);
  // Holds messages back until the client has sent its capabilities.
  const printError = (text: string) => void client.then((printNow) => printNow(text));
  const background: CommandContext = {
    ...context,
    terminal: { ...context.terminal, printError, isErrorTty: false },
  };
  // With --stdio, a person may have started the server; otherwise the log is enough.
  const print = async (text: string) => {
    if (flags.has("stdio")) printError(text);
  };
  // If opening fails, the response to the editor's first request reports the error, and the editor ends the connection.
  const ready = opened.then(async (instance) => {
    if (configuration.port !== undefined) await announce(background, instance, print);
    if (configuration.paths.length > 0) await addPaths(background, instance, configuration.paths);
    await reportReady(background, instance, startedAt, print);
  });
  printFailure(context, ready);
  try {
    await Promise.race([lspSession, untilInterrupted(context.interrupted)]);
  } finally {
    await closeOpened(opened);
  }
  return 0;
}

/** Prints why work in the background failed, unless it was canceled. */
export function printFailure(context: CommandContext, work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (context.interrupted.aborted || isServiceError(error, "CANCELLED")) return;
    context.terminal.printError(`trawl: ${error instanceof Error ? error.message : String(error)}\n`);
  });
}

/** Closes an instance that may still be opening, or that failed to open. */
export async function closeOpened(opened: Promise<Instance>): Promise<void> {
  const instance = await opened.catch(() => undefined);
  await instance?.close();
}

async function announce(
  context: CommandContext,
  instance: Instance,
  print: (text: string) => Promise<void>,
): Promise<void> {
  const { url, anonymous, isDefaultRule } = await instance.listen();
  await print(`Listening on ${url}\n`);
  if (await allowsAnonymous(context, instance, anonymous)) {
    context.terminal.printError(
      isDefaultRule
        ? "Every program and user of this computer can search without a key. To require one, use --anonymous off.\n"
        : "Anyone who can reach this address can search without a key.\n",
    );
  }
  if (instance.endpoint !== undefined) {
    context.terminal.printError(
      `Process ${instance.endpoint.pid} leads this data directory; this process forwards requests to it.\n`,
    );
  }
}

/** A git server has no port but the internal one, which only its leader opens. */
async function announceGitServer(instance: Instance, terminal: Terminal): Promise<void> {
  const url = instance.gitServerUrl();
  if (url !== undefined) await terminal.print(`Listening on ${url}\n`);
  else terminal.printError("Another process leads this data directory; this process waits to take over.\n");
}

/** Sends a request without credentials, because a lost database or an API key may close access in spite of the rule. */
async function allowsAnonymous(
  { interrupted }: CommandContext,
  instance: Instance,
  rule: AnonymousRule,
): Promise<boolean> {
  if (rule === "off") return false;
  const call = { credentials: { kind: "none" }, anonymous: rule, signal: interrupted } as const;
  try {
    await instance.caller("repos", { perPage: 1 }, call);
    return true;
  } catch (error) {
    if (interrupted.aborted || !isServiceError(error)) throw error;
    return error.code !== "ENGINE_UNAVAILABLE" && error.code !== "NOT_AUTHENTICATED";
  }
}

/**
 * Returns the configured paths. Without any path or connection, and with nothing added or indexed, falls back to the current
 * folder unless it is the home folder or the root.
 */
export async function pathsToServe(
  context: CommandContext,
  instance: Instance,
  configuration: Configuration,
): Promise<readonly string[]> {
  const hasConfigured = configuration.paths.length > 0 || Object.keys(configuration.connections).length > 0;
  if (hasConfigured || configuration.role !== "all") return configuration.paths;
  const call = { credentials: { kind: "local" }, signal: context.interrupted } as const;
  // Paths of a restored backup are known before their repositories are.
  const { paths, repositories } = await instance.caller("instance", {}, call);
  if (paths + repositories > 0) return [];
  const folder = context.currentFolder;
  if (folder !== homeFolder() && folder !== parse(folder).root) return [folder];
  context.terminal.printError(
    `trawl: Nothing is indexed, and ${folder} is too large to index by default. Run "trawl serve PATH".\n`,
  );
  return [];
}

export async function addPaths(
  context: CommandContext,
  instance: Instance,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const call = { credentials: { kind: "local" }, signal: context.interrupted } as const;
  const { repositories } = await instance.caller("addPaths", { paths: [...paths] }, call);
  if (repositories.length === 0)
    context.terminal.printError(`trawl: No repository found in ${paths.join(", ")}.\n`);
}

async function reportReady(
  context: CommandContext,
  instance: Instance,
  startedAt: number,
  print: (text: string) => Promise<void>,
): Promise<void> {
  const end = await waitForIndexing(context, instance);
  const totals = totalsOf(await allRepositories(instance.caller, context.interrupted));
  await print(
    `Ready: ${formatCount(totals.repositories, "repository", "repositories")}, ${formatCount(totals.documents, "file")}, ` +
      `${formatBytes(totals.contentBytes)} of text, after ${formatDuration(performance.now() - startedAt)}` +
      `${end.failed.length === 0 ? "" : `; ${end.failed.length} failed`}${describeUnfinished(end)}\n`,
  );
}

/** Describes what of the code hosts will follow. */
function describeUnfinished({ cloning = 0, listing = 0 }: IndexingEnd): string {
  const listed = listing === 0 ? "" : `; ${formatCount(listing, "code host")} still to be listed`;
  return cloning === 0
    ? listed
    : `${listed}; ${formatCount(cloning, "repository", "repositories")} still to be cloned`;
}
