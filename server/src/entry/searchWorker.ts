import { createSearchTask } from "#engine/embedded/searchTask";
import { serveTask } from "#platform/workers";

serveTask(createSearchTask());
