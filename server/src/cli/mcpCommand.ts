import { readConfiguration } from "./configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { installMcp } from "./installMcp";
import { addPathArguments, addPaths, closeOpened, pathsToServe, printFailure } from "./serveCommand";

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
  printFailure(context, indexed);
  try {
    await context.serveMcp(opened, { isStructured: flags.has("structured") });
  } finally {
    await closeOpened(opened);
  }
  return 0;
}
