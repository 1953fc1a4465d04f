/** Responses that are sent while the body of their request is still arriving: each client must be able to read them. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { callerOf, openListener, type TestListener } from "#test/support/service";

let listener: TestListener;
before(async () => {
  listener = await openListener(callerOf());
});
after(() => listener.close());

const part = Buffer.alloc(64 * 1024, "x");
const partCount = 160;
const length = part.length * partCount;

/** Sends the head and all parts, each after the one before was taken, and only then reads the response. */
function sendAll(head: string, parts: readonly Uint8Array[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(listener.port, "127.0.0.1").pause();
    socket.on("error", reject);
    const sendFrom = (index: number) => {
      const next = parts[index];
      if (next !== undefined) socket.write(next, () => sendFrom(index + 1));
      else read();
    };
    const read = () => {
      let received = "";
      socket.on("data", (bytes) => {
        received += bytes.toString("latin1");
      });
      socket.on("end", () => resolve(received));
      socket.resume();
    };
    socket.write(head, () => sendFrom(0));
  });
}

function head(line: string, ...headers: string[]): string {
  const fields = ["Host: localhost", "Content-Type: application/json", ...headers];
  return `${line}\r\n${fields.join("\r\n")}\r\n\r\n`;
}

describe("a client that sends its whole body before it reads", () => {
  const plain = Array.from({ length: partCount }, () => part);
  const chunked = [
    ...plain.map((bytes) => Buffer.concat([Buffer.from("10000\r\n"), bytes, Buffer.from("\r\n")])),
    Buffer.from("0\r\n\r\n"),
  ];
  const post = "POST /api/search HTTP/1.1";
  const announced = `Content-Length: ${length}`;
  const close = "Connection: close";
  const rows: [name: string, head: string, body: readonly Uint8Array[], expected: RegExp][] = [
    ["an announced length", head(post, close, announced), plain, /^HTTP\/1\.1 413 .*REQUEST_TOO_LARGE/s],
    [
      "chunks",
      head(post, close, "Transfer-Encoding: chunked"),
      chunked,
      /^HTTP\/1\.1 413 .*REQUEST_TOO_LARGE/s,
    ],
    ["HTTP/1.0", head("POST /api/search HTTP/1.0", announced), plain, /^HTTP\/1\.1 413 /],
    ["an ignored refusal", head(post, announced, "Expect: 100-continue"), plain, /^HTTP\/1\.1 413 /],
    ["an unknown expectation", head(post, announced, "Expect: tea"), plain, /^HTTP\/1\.1 400 /],
    ["no endpoint", head("POST /api/nothing HTTP/1.1", close, announced), plain, /^HTTP\/1\.1 404 /],
    ["another host", head(post, close, announced).replace("localhost", "evil"), plain, /^HTTP\/1\.1 403 /],
    [
      "a form",
      head(post, close, announced).replace("application/json", "text/plain"),
      plain,
      /^HTTP\/1\.1 415 /,
    ],
    ["a malformed target", head("POST ftp://a/ HTTP/1.1", close, announced), plain, /^HTTP\/1\.1 400 /],
    ["a body that is ignored", head("GET /api/health HTTP/1.1", close, announced), plain, /^HTTP\/1\.1 200 /],
    ["not HTTP", "\x16\x03\x01\r\n\r\n", plain, /^HTTP\/1\.1 400 /],
    ["headers without an end", `${post}\r\nX: `, plain, /^HTTP\/1\.1 431 /],
  ];
  for (const [name, bytes, body, expected] of rows) {
    test(name, async () => assert.match(await sendAll(bytes, body), expected));
  }

  test("a second request on a connection that is closing is not served", async () => {
    const next = Buffer.from("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const received = await sendAll(head(post, close, announced), [...plain, next]);
    assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1);
  });
});

test("fetch reads the refusal of a large body", async () => {
  for (let attempt = 0; attempt < 10; attempt++) {
    const response = await fetch(`${listener.url}/api/search`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: Buffer.alloc(length, "x"),
    });
    assert.equal(response.status, 413);
    assert.match(await response.text(), /REQUEST_TOO_LARGE/);
  }
});

test("a client whose body never ends is disconnected", async () => {
  const impatient = await openListener(callerOf(), {
    limits: { headersTimeoutMs: 300, requestTimeoutMs: 600 },
  });
  try {
    const socket = connect(impatient.port, "127.0.0.1");
    const ended = new Promise((resolve) => socket.on("close", resolve));
    socket.on("error", () => {});
    socket
      .resume()
      .write(head("POST /api/nothing HTTP/1.1", "Connection: close", `Content-Length: ${length}`));
    const sending = setInterval(() => socket.write("x"), 50);
    await ended;
    clearInterval(sending);
  } finally {
    await impatient.close();
  }
});
