/** A thread that runs `indexProgram.ts`, from V8's code cache if possible. */
import { join } from "node:path";
import { requireCached } from "#platform/codeCache";

requireCached(join(__dirname, "indexProgram.js"));
