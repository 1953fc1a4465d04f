import xxhash from "xxhash-wasm";
import { isServiceError, ServiceError } from "#base/error";

/** Computes a 32-bit checksum. */
export type Checksum = (bytes: Uint8Array) => number;

let loaded: Promise<Checksum> | undefined;

/** Loads xxHash32, which is compiled once per thread. */
export function loadChecksum(): Promise<Checksum> {
  loaded ??= xxhash().then((hash) => (bytes: Uint8Array) => hash.h32Raw(bytes) >>> 0);
  return loaded;
}

/** Returns the error for a file that fails a check; `what` is a sentence without its period. */
export function shardDamaged(what: string): ServiceError {
  return new ServiceError("SHARD_DAMAGED", what);
}

/** Whether opening or reading a file failed because it does not exist or fails a check, rather than temporarily. */
export function isMissingOrDamaged(error: unknown): boolean {
  return isServiceError(error, "SHARD_DAMAGED") || (error as NodeJS.ErrnoException).code === "ENOENT";
}
