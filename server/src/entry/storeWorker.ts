import { serveTask } from "#platform/serveTask";
import { createDatabaseTask } from "#store/embeddedTask";

serveTask(createDatabaseTask());
