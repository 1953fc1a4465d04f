import { join } from "node:path";
import { serveTask } from "#platform/serveTask";
import { lowerThreadPriority, niceness } from "#platform/threadPriority";
import { symbolParsers } from "#symbols/parsing/parsers";
import { workerTask } from "#sync/workerTasks";

lowerThreadPriority(niceness.index);
serveTask(workerTask(undefined, symbolParsers(join(__dirname, "symbolWorker.js"), 1)));
