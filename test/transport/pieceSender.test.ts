import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { JsonText } from "#platform/jsonText";
import { PieceSender } from "#transport/http/pieceSender";
import { UnreadResponses } from "#transport/http/responses";

const stallMs = 200;
const megabyte = "x".repeat(1024 * 1024);
const maxPieces = 1000;

for (const isCompressed of [false, true]) {
  const how = isCompressed ? "compressed" : "as it is";
  test(`a response may be rendered slowly, but not for a client that reads nothing: ${how}`, async (t) => {
    const unread = new UnreadResponses({ maxUnreadBytes: Number.POSITIVE_INFINITY, readingMs: 0 });
    let sent = 0;
    const render = async (response: ServerResponse, isSlow: boolean) => {
      const sender = new PieceSender(response, isCompressed, stallMs, unread);
      if (isCompressed) response.setHeader("content-encoding", "gzip");
      await sender.send("begin ");
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 4 * stallMs));
      // Random text is not compressed to almost nothing.
      else for (; sent < maxPieces; sent++) await sender.send(isCompressed ? randomText() : megabyte);
      await sender.send("end");
      sender.end();
    };
    let rendering: Promise<unknown> = Promise.resolve();
    const server = createServer((request, response) => {
      rendering = render(response, request.url === "/slow").catch((error: unknown) => error);
    });
    server.listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const slow = await fetch(`http://127.0.0.1:${port}/slow`);
    assert.equal(await slow.text(), "begin end");

    const client = connect(port, "127.0.0.1");
    client.on("error", () => {});
    client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(client, "readable");
    assert.ok(isServiceError(await rendering, "CANCELLED"));
    assert.ok(sent < maxPieces, `${sent}`);
    client.destroy();
  });
}

for (const isCompressed of [false, true]) {
  const how = isCompressed ? "compressed" : "as it is";
  test(`a text is sent from one buffer, whatever the length of its parts: ${how}`, async (t) => {
    const lengths = [300_000, 5, 300_000, 20_000, 1, 299_990, 16_384, 200_000];
    const total = lengths.reduce((sum, length) => sum + length, 0);
    const allocated = new Set<ArrayBufferLike>();
    let released = 0;
    const text = new JsonText(
      function* (allocate) {
        for (const [at, length] of lengths.entries()) {
          const part = allocate(length)
            .subarray(0, length)
            .fill(65 + at);
          allocated.add(part.buffer);
          yield part;
        }
      },
      total,
      () => released++,
    );
    const unread = new UnreadResponses({ maxUnreadBytes: Number.POSITIVE_INFINITY, readingMs: 0 });
    const server = createServer((_, response) => {
      if (isCompressed) response.setHeader("content-encoding", "gzip");
      void new PieceSender(response, isCompressed, 10_000, unread).sendText(text).then(() => text.release());
    });
    server.listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const received = await (await fetch(`http://127.0.0.1:${port}/`)).text();
    const expected = lengths.map((length, at) => String.fromCharCode(65 + at).repeat(length)).join("");
    assert.ok(received === expected, `${received.length} bytes of ${total}`);
    assert.deepEqual([allocated.size, released], [1, 1]);
    assert.throws(() => text.parts(), /released/);
  });
}

test("sending a text ends when the client disconnects", async (t) => {
  let parts = 0;
  const text = new JsonText(function* (allocate) {
    for (; parts < maxPieces; parts++) yield allocate(megabyte.length);
  }, maxPieces * megabyte.length);
  const unread = new UnreadResponses({ maxUnreadBytes: Number.POSITIVE_INFINITY, readingMs: 0 });
  let onSent = () => {};
  const sent = new Promise<void>((resolve) => {
    onSent = resolve;
  });
  const server = createServer((_, response) => {
    void new PieceSender(response, false, 60_000, unread).sendText(text).then(onSent);
  });
  server.listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(client, "readable");
  client.destroy();
  await sent;
  assert.ok(parts < maxPieces, `${parts}`);
});

function randomText(): string {
  return Array.from({ length: 4096 }, () => Math.random().toString(36)).join("");
}
