import type { BackupCounts } from "#contract/backup";
import { asking, onlyWord } from "./actions";
import { absolutePath } from "./configuration";
import type { Flags } from "./flags";
import type { House } from "./instance";
import { counted } from "./units";

export function backupCommand(house: House, flags: Flags): Promise<number> {
  const file = absolutePath(onlyWord(flags.words, "FILE"), house.currentFolder);
  return asking(house, flags, async (ask) => {
    await house.terminal.print(`Backed up ${inWords(await ask("backup", { file }))}.\n`);
    return 0;
  });
}

export function restoreCommand(house: House, flags: Flags): Promise<number> {
  const file = absolutePath(onlyWord(flags.words, "FILE"), house.currentFolder);
  return asking(house, flags, async (ask) => {
    const counts = await ask("restore", { file, replace: flags.has("replace") });
    await house.terminal.print(`Restored ${inWords(counts)}.\n`);
    return 0;
  });
}

function inWords({ members, apiKeys, auditRecords }: BackupCounts): string {
  return `${counted(members, "member")}, ${counted(apiKeys, "API key")}, ${counted(auditRecords, "audit record")}`;
}
