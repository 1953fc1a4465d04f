import xxhash from "xxhash-wasm";
import { ServiceError } from "#base/error";

/** Gives 32 bits; one flipped byte always changes them in practice. */
export type Checksum = (bytes: Uint8Array) => number;

let loaded: Promise<Checksum> | undefined;

/** xxHash32, compiled once a thread. */
export function loadChecksum(): Promise<Checksum> {
  loaded ??= xxhash().then((hash) => (bytes: Uint8Array) => hash.h32Raw(bytes) >>> 0);
  return loaded;
}

export function damaged(what: string): ServiceError {
  return new ServiceError("SHARD_DAMAGED", what);
}
