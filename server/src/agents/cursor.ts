/** Cursors: the number of lines that were shown, and a hash of the call that they belong to. */
import { createHash } from "node:crypto";
import { ServiceError } from "#base/error";

const hashLength = 8;
const maxOffset = 1_000_000_000;

/** Identifies a call by its tool and its arguments, apart from the cursor and the budget. */
export function hashCall(tool: string, args: Readonly<Record<string, unknown>>): string {
  const { cursor: _cursor, maxTokens: _maxTokens, ...rest } = args;
  const fields = Object.entries(rest).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([tool, fields]))
    .digest("base64url")
    .slice(0, hashLength);
}

export function writeCursor(offset: number, hash: string): string {
  return `${offset.toString(36)}.${hash}`;
}

/** Returns the offset of a cursor. Throws INVALID_REQUEST_BODY if it belongs to another call. */
export function readCursor(cursor: string, hash: string): number {
  const [, digits = "", ownHash] = /^([0-9a-z]{1,7})\.([\w-]+)$/.exec(cursor) ?? [];
  const offset = Number.parseInt(digits, 36);
  if (ownHash === hash && offset <= maxOffset) return offset;
  throw new ServiceError(
    "INVALID_REQUEST_BODY",
    '"cursor" does not belong to these arguments: repeat the arguments of the call that returned it, or omit it.',
  );
}
