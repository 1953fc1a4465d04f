import { createVerifyTask } from "#engine/zoekt/verifyTask";
import { serveTask } from "#platform/serveTask";
import { lowerThreadPriority, niceness } from "#platform/threadPriority";

lowerThreadPriority(niceness.search);
serveTask(createVerifyTask());
