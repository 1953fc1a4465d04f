import { isServiceError } from "#base/error";
import { readConfiguration } from "./configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { installMcp } from "./installMcp";
import { addPathArguments, addPaths, pathsToServe } from "./serveCommand";

/** Serves an agent until it disconnects, or sets one up. While it serves, prints nothing on standard output, which carries the protocol. */
export async function mcpCommand(context: CommandContext, flags: Flags): Promise<number> {
  if (flags.has("install") || flags.has("print")) return await installMcp(context, flags);
  const configuration = addPathArguments(
    readConfiguration(flags, context.currentFolder, context.defaultDataDir),
    context,
    flags,
  );
  const opened = context.open(configuration, "serve");
  const indexed = opened.then(async (instance) =>
    addPaths(context, instance, await pathsToServe(context, instance, configuration)),
  );
  indexed.catch((error: unknown) => {
    if (context.interrupted.aborted || isServiceError(error, "CANCELLED")) return;
    context.terminal.printError(`trawl: ${error instanceof Error ? error.message : String(error)}\n`);
  });
  try {
    await context.serveMcp(opened);
  } finally {
    const instance = await opened.catch(() => undefined);
    await instance?.close();
  }
  return 0;
}
