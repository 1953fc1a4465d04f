import { createVerifyTask } from "#engine/zoekt/verifyTask";
import { serveTask, threadData } from "#platform/serveTask";
import { lowerThreadPriority, niceness } from "#platform/threadPriority";

lowerThreadPriority(niceness.search);
serveTask(createVerifyTask(Number(threadData())));
