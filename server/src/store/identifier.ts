/** Identifiers that sort by creation time: UUIDs of version 7 (RFC 9562). */
import { randomBytes } from "node:crypto";

let lastTime = 0;
/** Increases within a millisecond, from a random start, so that identifiers of one process stay in order. */
let counter = 0;

/** Returns a new identifier. `now`: milliseconds since 1970. */
export function newIdentifier(now: number): string {
  const random = randomBytes(10);
  if (now === lastTime && counter < 0xfff) counter++;
  else counter = random.readUInt16BE(0) & 0x7ff;
  lastTime = now;
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  random.copy(bytes, 8, 2);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString("hex");
  return [8, 12, 16, 20, 32].map((end, at) => hex.slice([0, 8, 12, 16, 20][at], end)).join("-");
}
