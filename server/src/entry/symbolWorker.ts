import { join } from "node:path";
import { serveTask } from "#platform/workers";
import { parserTask } from "#symbols/parserTask";

serveTask(parserTask(join(__dirname, "../grammars")));
