import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { isServiceError } from "#base/error";
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

function randomText(): string {
  return Array.from({ length: 4096 }, () => Math.random().toString(36)).join("");
}
