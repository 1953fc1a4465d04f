import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  callerOf,
  openListener,
  rawRequest,
  repository,
  type TestListener,
  viewOf,
} from "#test/support/service";

let listener: TestListener;
before(async () => {
  const repositories = viewOf(["a", "b", "c"].map((name, index) => repository(index + 1, name)));
  listener = await openListener(callerOf({ repositories }), { allowedHosts: ["build.example.org"] });
});
after(() => listener.close());

function ask(target: string, method = "GET", host = "localhost"): Promise<string> {
  return rawRequest(
    listener.port,
    `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
}

/** Returns the status, followed by the error code of an error object or the title of a page, if any. */
function outcome(response: string): string {
  const [, status = "none"] = /^HTTP\/1\.1 (\d+)/.exec(response) ?? [];
  const [, code] = /"errorCode":"(\w+)"/.exec(response) ?? /<title>(.*?)<\/title>/.exec(response) ?? [];
  return code === undefined ? status : `${status} ${code}`;
}

describe("request targets", () => {
  const rows: [target: string, expected: string, method?: string][] = [
    ["http://localhost/api/health", "200"],
    ["http://localhost/api/repos", "200"],
    ["http://localhost/api/repos?page=2&perPage=1", "200"],
    ["HTTP://LocalHost:4878/api/repos", "200"],
    ["https://localhost/api/repos", "200"],
    ["http://[::1]:4878/api/repos", "200"],
    ["http://build.example.org/api/repos", "200"],
    ["http://localhost/api/repos", "200", "HEAD"],
    ["http://localhost/api/repos", "204", "OPTIONS"],
    ["http://localhost/api/repos", "405 METHOD_NOT_ALLOWED", "DELETE"],
    ["http://localhost/api/repos?page=0", "400 INVALID_QUERY_PARAMS"],
    ["http://localhost/browse/nothing", "404 Not found"],
    ["http://localhost/browse/%zz", "400 MALFORMED_REQUEST"],
    ["http://localhost", "404 NOT_FOUND"],
    ["http://localhost?page=1", "404 NOT_FOUND"],
    ["http://localhost//api/repos", "404 NOT_FOUND"],
    ["http://evil.example.org/api/repos", "403 HOST_NOT_ALLOWED"],
    ["https://localhost.evil.example.org/browse/a", "403 HOST_NOT_ALLOWED"],
    ["http://user:secret@localhost/api/repos", "400 MALFORMED_REQUEST"],
    ["http://[::1/api/repos", "400 MALFORMED_REQUEST"],
    ["http://localhost:port/api/repos", "400 MALFORMED_REQUEST"],
    ["http:///api/repos", "400 MALFORMED_REQUEST"],
    ["http://localhost/api/repos#fragment", "400 MALFORMED_REQUEST"],
    ["ftp://localhost/api/repos", "400 MALFORMED_REQUEST"],
    ["*", "204", "OPTIONS"],
    ["*", "400 MALFORMED_REQUEST"],
    ["localhost:4878", "400 MALFORMED_REQUEST"],
    ["localhost:4878", "405 METHOD_NOT_ALLOWED", "CONNECT"],
    ["api/repos", "400 MALFORMED_REQUEST"],
    ["?page=1", "400 MALFORMED_REQUEST"],
    ["/api/repos#fragment", "400 MALFORMED_REQUEST"],
    ["/browse/a#L1", "400 MALFORMED_REQUEST"],
    ["//api/repos", "404 NOT_FOUND"],
    ["//localhost/api/repos", "404 NOT_FOUND"],
    ["/api/./repos", "404 NOT_FOUND"],
    ["/browse/../api/repos", "404 Not found"],
    ["/api%2Frepos", "404 NOT_FOUND"],
    ["/%62rowse/a", "404 Not found"],
    ["/browse/", "404 Not found"],
    ["/api/%72epos", "200"],
  ];
  for (const [target, expected, method = "GET"] of rows) {
    test(`${method} ${target}`, async () => {
      const response = await ask(target, method);
      assert.equal(outcome(response), expected, response);
      assert.match(response, /x-content-type-options: nosniff|^HTTP\/1\.1 204/i);
    });
  }

  test("an absolute target overrides the host header, for access and for links", async () => {
    const rows: [target: string, host: string, expected: string][] = [
      ["http://build.example.org/api/repos?perPage=1", "localhost", "200"],
      ["http://build.example.org/api/repos?perPage=1", "evil.example.org", "200"],
      ["http://evil.example.org/api/repos", "localhost", "403 HOST_NOT_ALLOWED"],
    ];
    for (const [target, host, expected] of rows) {
      const response = await ask(target, "GET", host);
      assert.equal(outcome(response), expected);
      if (expected !== "200") continue;
      assert.match(
        response,
        /link: <http:\/\/build\.example\.org\/api\/repos\?perPage=1&page=1>; rel="first"/i,
      );
      assert.match(response, /"webUrl":"http:\/\/build\.example\.org\/browse\/a/);
    }
    const without = "GET http://localhost/api/repos HTTP/1.1\r\nConnection: close\r\n\r\n";
    assert.equal(outcome(await rawRequest(listener.port, without)), "400 MALFORMED_REQUEST");
  });

  test("an absolute target is accepted over the local socket", async () => {
    const request = "GET http://trawl/api/repos HTTP/1.1\r\nHost: trawl\r\nConnection: close\r\n\r\n";
    assert.equal(outcome(await rawRequest(listener.socket, request)), "200");
  });
});

describe("links of a page with long parameters", () => {
  // The second of three pages, which has all four links.
  const page = (parameter: string) => `/api/repos?perPage=1&page=2&unknown=${parameter}`;
  const rows: [length: number, relations: string][] = [
    [0, "first,prev,next,last"],
    [1200, "first,prev,next,last"],
    [2500, "prev,next"],
    [4000, "next"],
    [7000, ""],
    [15_000, ""],
  ];
  for (const [length, expected] of rows) {
    test(`${length} characters`, async () => {
      const [head = ""] = (await ask(page("x".repeat(length)))).split("\r\n\r\n");
      assert.equal(outcome(head), "200");
      assert.ok(head.length < 8192, `${head.length} characters of headers`);
      const link = /^link: (.*)$/im.exec(head)?.[1] ?? "";
      assert.equal([...link.matchAll(/rel="(\w+)"/g)].map(([, name]) => name).join(), expected);
      assert.match(head, /^x-total-count: 3$/im);
      if (link !== "")
        assert.ok(
          link.includes(`unknown=${"x".repeat(length)}&`) || link.includes(`unknown=${"x".repeat(length)}>`),
        );
    });
  }

  test("headers stay under the limit if encoding makes the parameters longer", async () => {
    const [head = ""] = (await ask(page('"'.repeat(2000)))).split("\r\n\r\n");
    assert.equal(outcome(head), "200");
    assert.ok(head.length < 8192, `${head.length} characters of headers`);
  });
});
