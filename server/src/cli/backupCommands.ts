import type { BackupCounts } from "#contract/backup";
import { absolutePath } from "#instance/settingValues";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { formatCount } from "./format";
import { requireOnePositional, withInstance } from "./subcommands";

export function backupCommand(context: CommandContext, flags: Flags): Promise<number> {
  const file = absolutePath(requireOnePositional(flags.positionals, "FILE"), context.currentFolder);
  return withInstance(context, flags, async (send) => {
    await context.terminal.print(`Backed up ${formatCounts(await send("backup", { file }))}.\n`);
    return 0;
  });
}

export function restoreCommand(context: CommandContext, flags: Flags): Promise<number> {
  const file = absolutePath(requireOnePositional(flags.positionals, "FILE"), context.currentFolder);
  return withInstance(context, flags, async (send) => {
    const counts = await send("restore", { file, replace: flags.has("replace") });
    await context.terminal.print(`Restored ${formatCounts(counts)}.\n`);
    return 0;
  });
}

function formatCounts({ members, apiKeys, auditRecords, paths, mirrors }: BackupCounts): string {
  return [
    formatCount(members, "member"),
    formatCount(apiKeys, "API key"),
    formatCount(auditRecords, "audit record"),
    ...(paths > 0 ? [formatCount(paths, "path")] : []),
    ...(mirrors > 0 ? [formatCount(mirrors, "mirror")] : []),
  ].join(", ");
}
