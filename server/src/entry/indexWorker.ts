import { indexTask } from "#indexing/indexTask";
import { serveTask } from "#platform/workers";

serveTask(indexTask());
