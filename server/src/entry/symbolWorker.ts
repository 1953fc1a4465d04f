import { join } from "node:path";
import { serveTask } from "#platform/serveTask";
import { lowerThreadPriority, niceness } from "#platform/threadPriority";
import { parserTask } from "#symbols/parsing/parserTask";

lowerThreadPriority(niceness.search);
serveTask(parserTask(join(__dirname, "../grammars")));
