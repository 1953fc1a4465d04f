import { usageError } from "#base/error";
import { sanitize } from "#base/sanitize";
import { absolutePath } from "#instance/settingValues";
import { readConfiguration } from "./configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { formatCount } from "./format";

export async function removeCommand(context: CommandContext, flags: Flags): Promise<number> {
  if (flags.positionals.length === 0) throw usageError("remove requires a PATH.");
  const instance = await context.open(
    readConfiguration(flags, context.currentFolder, context.defaultDataDir),
    "change",
  );
  try {
    const paths = flags.positionals.map((path) => absolutePath(path, context.currentFolder));
    const { repositories, excluded } = await instance.caller(
      "removePaths",
      { paths },
      { credentials: { kind: "local" }, signal: context.interrupted },
    );
    const lines = repositories.map((name) => `Removed ${sanitize(name)}\n`);
    const total = `${formatCount(repositories.length, "repository", "repositories")} removed.\n`;
    const rest = excluded.map(
      (path) =>
        `${sanitize(path)} is no longer indexed. To add it again, run "trawl index" with this path.\n`,
    );
    await context.terminal.print(lines.join("") + total + rest.join(""));
    return 0;
  } finally {
    await instance.close();
  }
}
