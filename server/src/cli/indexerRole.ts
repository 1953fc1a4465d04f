import { usageError } from "#base/error";
import type { Configuration } from "#instance/configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { untilInterrupted } from "./untilInterrupted";

/** Indexes for a Zoekt node until it is interrupted. */
export async function serveIndexer(
  context: CommandContext,
  flags: Flags,
  configuration: Configuration,
): Promise<number> {
  const node = flags.text("node");
  if (node === undefined) throw usageError(`The role "indexer" needs --node NAME.`);
  if (flags.positionals.length > 0)
    throw usageError("An indexer takes no PATH: the leader decides what is indexed.");
  const indexer = await context.openIndexer(configuration, node);
  try {
    await context.terminal.print(`Indexing for node ${node}; probes and metrics at ${indexer.url}\n`);
    await untilInterrupted(context.interrupted);
  } finally {
    await indexer.close();
  }
  return 0;
}
