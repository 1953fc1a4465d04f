/** Checks the shared secret of a request. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Returns whether a request presents the secret as bearer token. Takes the same time for every wrong one. */
export function presentsSecret({ headers }: IncomingMessage, secret: string): boolean {
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(digest(token), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
