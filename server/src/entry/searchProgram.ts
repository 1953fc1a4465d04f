import { createSearchTask } from "#engine/embedded/searchTask";
import { serveTask } from "#platform/serveTask";
import { lowerThreadPriority, niceness } from "#platform/threadPriority";

lowerThreadPriority(niceness.search);
serveTask(createSearchTask());
