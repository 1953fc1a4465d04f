/** The `trawl` program. Loads the command line (`program.ts`), which is large, from V8's code cache if possible. */
import { join } from "node:path";
import { requireCached } from "#platform/codeCache";

requireCached(join(__dirname, "program.js"));
