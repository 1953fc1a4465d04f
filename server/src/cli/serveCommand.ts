import { homedir } from "node:os";
import { parse } from "node:path";
import { isServiceError } from "#base/error";
import { type Configuration, readConfiguration } from "./configuration";
import type { Flags } from "./flags";
import { givenPaths, indexed } from "./indexCommand";
import type { House, Instance } from "./instance";
import { allRepositories, totalsOf } from "./repositories";
import { bytesInWords, counted, secondsInWords } from "./units";

/** Serves until it is interrupted, or until the editor is done. */
export async function serveCommand(house: House, flags: Flags): Promise<number> {
  const configuration = withPaths(
    readConfiguration(flags, house.currentFolder, house.defaultDataDir),
    house,
    flags,
  );
  return speaksLsp(flags)
    ? await serveEditor(house, flags, configuration)
    : await serveHttp(house, configuration);
}

const lspFlags = ["stdio", "node-ipc", "pipe", "socket"];

function speaksLsp(flags: Flags): boolean {
  return lspFlags.some((name) => flags.has(name));
}

function withPaths(configuration: Configuration, house: House, flags: Flags): Configuration {
  return { ...configuration, paths: [...configuration.paths, ...givenPaths(house, flags)] };
}

async function serveHttp(house: House, configuration: Configuration): Promise<number> {
  const { terminal } = house;
  const startedAt = performance.now();
  const instance = await house.open(configuration, "serve");
  try {
    await announce(house, instance, (text) => terminal.print(text));
    const paths = await pathsToServe(house, instance, configuration);
    await addPaths(house, instance, paths);
    await sayReady(house, instance, startedAt, (text) => terminal.print(text));
    await untilInterrupted(house.interrupted);
  } catch (error) {
    // An end that was asked for while indexing is a clean one.
    if (!house.interrupted.aborted) throw error;
  } finally {
    await instance.close();
  }
  return 0;
}

/** An editor's own server listens only where it was told to: no port is opened unasked. */
async function serveEditor(house: House, flags: Flags, configuration: Configuration): Promise<number> {
  const startedAt = performance.now();
  // Where standard input and output are the editor's, a person may have started it; elsewhere there is the log.
  const say = async (text: string) => {
    if (flags.has("stdio")) house.terminal.say(text);
  };
  const opened = house.open(configuration, "serve", "forEditor");
  const spoken = house.speakLsp(configuration, opened);
  // A failure to open is told to the editor, as the answer to its first request; it ends the connection itself.
  const background = opened.then(async (instance) => {
    if (configuration.port !== undefined) await announce(house, instance, say);
    if (configuration.paths.length > 0) await addPaths(house, instance, configuration.paths);
    await sayReady(house, instance, startedAt, say);
  });
  background.catch((error: unknown) => {
    if (house.interrupted.aborted || isServiceError(error, "CANCELLED")) return;
    house.terminal.say(`trawl: ${error instanceof Error ? error.message : String(error)}\n`);
  });
  try {
    await Promise.race([spoken, untilInterrupted(house.interrupted)]);
  } finally {
    const instance = await opened.catch(() => undefined);
    await instance?.close();
  }
  return 0;
}

async function announce(
  house: House,
  instance: Instance,
  print: (text: string) => Promise<void>,
): Promise<void> {
  const { url, anonymous, anonymousByDefault } = await instance.listen();
  await print(`Listening on ${url}\n`);
  if (anonymousByDefault) {
    house.terminal.say(
      "Every program and user of this computer can search here without a key (--anonymous off ends that).\n",
    );
  } else if (anonymous) {
    house.terminal.say("Whoever can reach this address can search here without a key.\n");
  }
  if (instance.endpoint !== undefined) {
    house.terminal.say(
      `The index is held by process ${instance.endpoint.pid}; this one passes requests on to it.\n`,
    );
  }
}

/** The current folder is taken only by a Trawl that has nothing else to serve. */
async function pathsToServe(
  house: House,
  instance: Instance,
  configuration: Configuration,
): Promise<readonly string[]> {
  if (configuration.paths.length > 0) return configuration.paths;
  const call = { credentials: { kind: "local" }, signal: house.interrupted } as const;
  const { total } = await instance.caller("repos", { perPage: 1 }, call);
  if (total > 0) return [];
  const folder = house.currentFolder;
  if (folder !== homedir() && folder !== parse(folder).root) return [folder];
  house.terminal.say(
    `trawl: Nothing is indexed, and ${folder} is too much to take unasked: trawl serve PATH\n`,
  );
  return [];
}

async function addPaths(house: House, instance: Instance, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const call = { credentials: { kind: "local" }, signal: house.interrupted } as const;
  const { repositories } = await instance.caller("addPaths", { paths: [...paths] }, call);
  if (repositories.length === 0)
    house.terminal.say(`trawl: No repository was found in ${paths.join(", ")}.\n`);
}

async function sayReady(
  house: House,
  instance: Instance,
  startedAt: number,
  print: (text: string) => Promise<void>,
): Promise<void> {
  const end = await indexed(house, instance, false);
  const totals = totalsOf(await allRepositories(instance.caller, house.interrupted));
  await print(
    `Ready: ${counted(totals.repositories, "repository", "repositories")}, ${counted(totals.documents, "file")}, ` +
      `${bytesInWords(totals.contentBytes)} of text, after ${secondsInWords(performance.now() - startedAt)}` +
      `${end.failed.length === 0 ? "" : `; ${end.failed.length} failed`}\n`,
  );
}

function untilInterrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
