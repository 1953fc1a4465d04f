import { serveTask } from "#platform/workers";
import { createDatabaseTask } from "#store/embeddedTask";

serveTask(createDatabaseTask());
