import { join } from "node:path";
import { serveTask } from "#platform/workers";
import { symbolParsers } from "#symbols/parsers";
import { indexWork } from "#sync/work";

serveTask(indexWork(undefined, symbolParsers(join(__dirname, "symbolWorker.js"), 1)));
