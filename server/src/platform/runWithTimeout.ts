import { Script } from "node:vm";

/** Where `script` finds the function to run. */
const slot = Symbol.for("trawl.guarded");
const script = new Script(`globalThis[Symbol.for("trawl.guarded")]()`);

type Guarded = { [slot]?: () => void };

/**
 * Runs a function, and interrupts it after `timeoutMs`, even within a regular expression: V8 has no time limit for
 * these, but `vm` can interrupt whatever it runs. Returns false if `run` was interrupted, and rethrows its errors. The
 * overhead is about 0.3 ms.
 */
export function runWithTimeout(run: () => void, timeoutMs: number): boolean {
  (globalThis as Guarded)[slot] = run;
  try {
    script.runInThisContext({ timeout: Math.max(1, Math.ceil(timeoutMs)) });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  }
}
