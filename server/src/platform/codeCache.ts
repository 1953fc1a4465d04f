/**
 * Loads bundles from V8's code cache: compiling them takes about a third of the time until a server listens.
 *
 * Node 20 has no such cache of its own. Caches are written to a folder next to the bundles, so they are as trusted as
 * these, and removed with them. Without permission to write there, every start compiles.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { diskFiles, replaceFileUnflushed } from "./files";

/** Most functions that a start needs have been compiled then, and a server has nothing else to do. */
const writeAfterMs = 10_000;
const headerBytes = 8;

/**
 * Returns what the CommonJS module at the path exports, as `require` does. Also caches the vendored packages that it loads.
 * If there is no valid cache, one is written `delayMs` later, unless the process has ended.
 */
export function requireCached(path: string, delayMs = writeAfterMs): unknown {
  // Only modules that Node loads itself have source maps.
  if (process.sourceMapsEnabled) return createRequire(path)(path);
  return loadModule(path, delayMs, new Map());
}

interface LoadedModule {
  exports: unknown;
}

function loadModule(path: string, delayMs: number, loaded: Map<string, LoadedModule>): unknown {
  const known = loaded.get(path);
  if (known !== undefined) return known.exports;
  const loadedModule: LoadedModule = { exports: {} };
  loaded.set(path, loadedModule);
  const folder = dirname(path);
  const plainRequire = createRequire(path);
  const requireVendored = (name: string) =>
    name.startsWith("./vendor/") ? loadModule(join(folder, name), delayMs, loaded) : plainRequire(name);
  const run = compile(path, delayMs).runInThisContext() as (...parameters: unknown[]) => void;
  const ownRequire = Object.assign(requireVendored, plainRequire);
  run.call(loadedModule.exports, loadedModule.exports, ownRequire, loadedModule, path, folder);
  return loadedModule.exports;
}

function compile(path: string, delayMs: number): Script {
  const bundle = readFileSync(path);
  const source = `(function (exports, require, module, __filename, __dirname) { ${bundle.toString()}\n})`;
  // V8 rejects a cache of another version, or that was written with other flags.
  const runtime = `${process.version}-${process.platform}-${process.arch}-${cachedDataVersionTag().toString(16)}`;
  const file = join(dirname(path), ".cache", `${basename(path)}.${runtime}`);
  const cachedData = readCache(file, bundle);
  const script = new Script(source, { filename: path, ...(cachedData === undefined ? {} : { cachedData }) });
  if (cachedData === undefined || script.cachedDataRejected)
    setTimeout(() => writeCache(file, bundle, script), delayMs).unref();
  return script;
}

/** A cache begins with checksums of the bundle and the data, because V8 checks neither of them. */
function readCache(file: string, bundle: Buffer): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(headerBytes);
    return checksums(bundle, data).equals(bytes.subarray(0, headerBytes)) ? data : undefined;
  } catch {
    return undefined;
  }
}

function writeCache(file: string, bundle: Buffer, script: Script): void {
  try {
    const data = script.createCachedData();
    // Other users may read it, as they may read the bundles.
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    replaceFileUnflushed(diskFiles, file, Buffer.concat([checksums(bundle, data), data]), 0o644);
  } catch {
    // The folder is not writable, or the disk is full.
  }
}

function checksums(...parts: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(headerBytes);
  for (const [at, part] of parts.entries()) header.writeUInt32LE(crc32(part), 4 * at);
  return header;
}
