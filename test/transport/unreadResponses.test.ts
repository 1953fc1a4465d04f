import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { UnreadResponses } from "#transport/http/responses";

test("a response whose client has disconnected does not count", () => {
  const unread = new UnreadResponses({ maxUnreadBytes: 10, readingMs: 0 });
  const [slow, gone] = [1, 2].map(() => new ServerResponse(new IncomingMessage(new Socket())));
  assert(slow && gone);
  unread.add(slow, 6);
  gone.destroy();
  unread.add(gone, 6);
  assert.equal(slow.destroyed, false);
});
