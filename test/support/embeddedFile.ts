import { inlineThread } from "#platform/inlineThread";
import type { DatabaseSource } from "#store/connection";
import { embeddedDatabase } from "#store/embedded";
import { createDatabaseTask } from "#store/embeddedTask";

/** Opens the embedded database on this thread, because starting a thread for each would be slower. */
export function embeddedFile(file: string): DatabaseSource {
  return embeddedDatabase(file, () => inlineThread(createDatabaseTask()));
}
