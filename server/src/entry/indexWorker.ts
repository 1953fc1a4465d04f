import { serveTask } from "#platform/workers";
import { indexWork } from "#sync/work";

serveTask(indexWork());
