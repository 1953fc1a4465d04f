/**
 * Compiles WebAssembly, with or without optimizing it later.
 *
 * V8 first compiles a function quickly, and decides then whether to optimize it once it has run often. Only flags of the
 * process control this. So one thread compiles at a time, and compiles all functions of a module at once instead of each on
 * its first call. Functions that other threads compile meanwhile without this file are not optimized either.
 */
import { setFlagsFromString } from "node:v8";
import { withProcessLock } from "./processLock";

const atOnce = { set: "--no-wasm-lazy-compilation", reset: "--wasm-lazy-compilation" };
/** Optimizes only the function with an index that no module has. */
const unoptimized = { set: "--wasm-tier-up-filter=2147483647", reset: "--wasm-tier-up-filter=-1" };

/** Compiles a module whose functions are optimized once they have run often. */
export function compileWasm(wasm: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  return compileWith([atOnce], wasm);
}

/** Compiles a module whose functions are never optimized. */
export function compileUnoptimizedWasm(wasm: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  return compileWith([atOnce, unoptimized], wasm);
}

function compileWith(flags: readonly (typeof atOnce)[], wasm: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  return withProcessLock(() => {
    for (const { set } of flags) setFlagsFromString(set);
    try {
      return new WebAssembly.Module(wasm);
    } finally {
      for (const { reset } of flags) setFlagsFromString(reset);
    }
  });
}
