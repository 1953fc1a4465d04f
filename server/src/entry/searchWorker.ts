/** A thread that runs `searchProgram.ts`, from V8's code cache if possible. */
import { join } from "node:path";
import { requireCached } from "#platform/codeCache";

requireCached(join(__dirname, "searchProgram.js"));
