import { thisThread } from "#platform/workers";
import { embeddedDatabase } from "#store/embedded";
import { createDatabaseTask } from "#store/embeddedTask";
import type { DatabaseSource } from "#store/openStore";

/** On this thread, which opens many of them sooner than threads of their own would. */
export function embeddedFile(file: string): DatabaseSource {
  return embeddedDatabase(file, () => thisThread(createDatabaseTask()));
}
