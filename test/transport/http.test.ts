import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { ErrorObject } from "#contract/error";
import {
  callerOf,
  engineOf,
  engineResult,
  fileMatch,
  openListener,
  rawRequest,
  repository,
  type TestListener,
  viewOf,
} from "#test/support/service";

const json = { "content-type": "application/json" };
const found = callerOf({
  engine: engineOf(async () => engineResult([fileMatch(1, "src/a b#.ts")])),
  repositories: viewOf([repository(1, "github.com/o/r"), repository(2, "github.com/o/s")]),
});
let listener: TestListener;

before(async () => {
  listener = await openListener(found);
});
after(() => listener.close());

interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request with any headers, including those that `fetch` does not send. */
function ask(
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  body?: string | Uint8Array,
  target: { port: number } | { socketPath: string } = { port: listener.port },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: "127.0.0.1", ...target, method, path, headers, agent: false },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => {
          const bytes = Buffer.concat(parts);
          const zipped = response.headers["content-encoding"] === "gzip";
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            body: (zipped ? gunzipSync(bytes) : bytes).toString(),
          });
        });
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

function checkFailure(response: HttpResponse, status: number, code: string, message: RegExp = /./): void {
  const error = ErrorObject.parse(JSON.parse(response.body));
  assert.deepEqual([response.status, error.statusCode, error.errorCode], [status, status, code]);
  assert.match(error.message, message);
  assert.match(response.headers["content-type"] ?? "", /^application\/json/);
  assert.equal(response.headers["x-content-type-options"], "nosniff");
}

const search = (body: string | Uint8Array, headers: Record<string, string> = json) =>
  ask("POST", "/api/search", headers, body);

describe("refused requests", () => {
  type Row = [
    name: string,
    call: () => Promise<HttpResponse>,
    status: number,
    code: string,
    message?: RegExp,
  ];
  const big = JSON.stringify({ query: "x".repeat(1024 * 1024) });
  const rows: Row[] = [
    ["unknown endpoint", () => ask("GET", "/api/nothing"), 404, "NOT_FOUND", /\/api\/nothing/],
    ["a path outside the API", () => ask("GET", "/"), 404, "NOT_FOUND"],
    [
      "unknown endpoint with an unsupported content type",
      () => ask("POST", "/x", { "content-type": "a/b" }, "x"),
      404,
      "NOT_FOUND",
    ],
    ["wrong method", () => ask("GET", "/api/search"), 405, "METHOD_NOT_ALLOWED", /POST/],
    [
      "wrong method with a body",
      () => ask("DELETE", "/api/repos", json, "{}"),
      405,
      "METHOD_NOT_ALLOWED",
      /GET, HEAD/,
    ],
    ["an unknown method", () => ask("PROPFIND", "/api/health"), 405, "METHOD_NOT_ALLOWED"],
    ["malformed path", () => ask("GET", "/api/repos/%E0%A4%A"), 400, "MALFORMED_REQUEST"],
    [
      "malformed query string",
      () => ask("GET", "/api/repos?query=%E0%A4%A"),
      400,
      "MALFORMED_REQUEST",
      /%E0/,
    ],
    ["no content type", () => search("{}", {}), 415, "UNSUPPORTED_MEDIA_TYPE"],
    [
      "a form",
      () => search("a=b", { "content-type": "application/x-www-form-urlencoded" }),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    ["plain text", () => search("{}", { "content-type": "text/plain" }), 415, "UNSUPPORTED_MEDIA_TYPE"],
    [
      "a malformed content type",
      () => search("{}", { "content-type": "json" }),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "another charset",
      () => search("{}", { "content-type": "application/json; charset=utf-16" }),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "a compressed body",
      () => search("{}", { ...json, "content-encoding": "gzip" }),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    ["not JSON", () => search('{"query": nothing}'), 400, "INVALID_REQUEST_BODY", /not JSON/],
    ["incomplete JSON", () => search('{"query": "a"'), 400, "INVALID_REQUEST_BODY"],
    ["an empty body", () => search(""), 400, "INVALID_REQUEST_BODY"],
    [
      "not UTF-8",
      () => search(Buffer.from('{"query":"\xe4"}', "latin1")),
      400,
      "INVALID_REQUEST_BODY",
      /UTF-8/,
    ],
    ["deeply nested brackets", () => search("[".repeat(1024 * 1024 - 1)), 400, "INVALID_REQUEST_BODY"],
    ["an array", () => search("[]"), 400, "INVALID_REQUEST_BODY", /an array/],
    ["a string", () => search('"a"'), 400, "INVALID_REQUEST_BODY", /"a"/],
    [
      "a deeply nested value",
      () => search(`{"query":${"[".repeat(5e5)}${"]".repeat(5e5)}}`),
      400,
      "INVALID_REQUEST_BODY",
      /"query" must be a string.* an array/,
    ],
    ["a body over the limit", () => search(big), 413, "REQUEST_TOO_LARGE", /1048576/],
    [
      "a chunked body over the limit",
      () => search(big, { ...json, "transfer-encoding": "chunked" }),
      413,
      "REQUEST_TOO_LARGE",
    ],
    ["a missing field", () => search("{}"), 400, "INVALID_REQUEST_BODY", /"query" is missing/],
    [
      "null for a required field",
      () => search('{"query":null}'),
      400,
      "INVALID_REQUEST_BODY",
      /"query" must be a string.*null/,
    ],
    [
      "a string for a number",
      () => search('{"query":"a","matches":"5"}'),
      400,
      "INVALID_REQUEST_BODY",
      /"matches" must be an integer from 1 to 100000, but is "5"/,
    ],
    [
      "a fraction for an integer",
      () => search('{"query":"a","matches":1.5}'),
      400,
      "INVALID_REQUEST_BODY",
      /1\.5/,
    ],
    [
      "a number below the minimum",
      () => search('{"query":"a","matches":0}'),
      400,
      "INVALID_REQUEST_BODY",
      /but is 0/,
    ],
    [
      "a number above the maximum",
      () => search('{"query":"a","contextLines":101}'),
      400,
      "INVALID_REQUEST_BODY",
      /from 0 to 100, but is 101/,
    ],
    [
      "a number for a boolean",
      () => search('{"query":"a","whole":1}'),
      400,
      "INVALID_REQUEST_BODY",
      /true or false, but is 1/,
    ],
    [
      "a query over the limit",
      () => search(JSON.stringify({ query: "x".repeat(10_001) })),
      400,
      "INVALID_REQUEST_BODY",
      /10000 characters/,
    ],
    [
      "an invalid array item",
      () => ask("POST", "/api/tree", json, '{"repoName":"a","paths":["b",null]}'),
      400,
      "INVALID_REQUEST_BODY",
      /"paths\[1\]" must be a string of at most 4096 characters, but is null/,
    ],
    [
      "an invalid field of a nested object",
      () => ask("POST", "/api/outline", json, '{"place":{"repo":"a","path":"b","lineNumber":0}}'),
      400,
      "INVALID_REQUEST_BODY",
      /"place\.lineNumber" must be an integer from 1 to 9007199254740991, but is 0/,
    ],
    [
      "a string for an object",
      () => ask("POST", "/api/outline", json, '{"place":"a"}'),
      400,
      "INVALID_REQUEST_BODY",
      /"place" must be an object, but is "a"/,
    ],
    ["a blank query", () => search('{"query":"  "}'), 400, "FAILED_TO_PARSE_QUERY"],
    ["an empty query", () => search('{"query":""}'), 400, "FAILED_TO_PARSE_QUERY"],
    ["an invalid query", () => search('{"query":"file:["}'), 400, "FAILED_TO_PARSE_QUERY", /offset 5/],
    [
      "a word for a number",
      () => ask("GET", "/api/repos?page=two"),
      400,
      "INVALID_QUERY_PARAMS",
      /"page".*"two"/,
    ],
    [
      "a number with an exponent",
      () => ask("GET", "/api/repos?page=1e1"),
      400,
      "INVALID_QUERY_PARAMS",
      /"1e1"/,
    ],
    ["a hexadecimal number", () => ask("GET", "/api/repos?page=0x1"), 400, "INVALID_QUERY_PARAMS"],
    ["a number with a plus sign", () => ask("GET", "/api/repos?page=%2B1"), 400, "INVALID_QUERY_PARAMS"],
    ["an empty number", () => ask("GET", "/api/repos?page="), 400, "INVALID_QUERY_PARAMS"],
    [
      "page zero",
      () => ask("GET", "/api/repos?page=0"),
      400,
      "INVALID_QUERY_PARAMS",
      /from 1 to 1000000000, but is 0/,
    ],
    ["a huge number", () => ask("GET", "/api/repos?page=99999999999999999999"), 400, "INVALID_QUERY_PARAMS"],
    [
      "a page number over the limit",
      () => ask("GET", "/api/repos?page=1000000001"),
      400,
      "INVALID_QUERY_PARAMS",
      /"page" must be an integer from 1 to 1000000000, but is 1000000001/,
    ],
    [
      "a page size over the limit",
      () => ask("GET", "/api/repos?perPage=101"),
      400,
      "INVALID_QUERY_PARAMS",
      /from 1 to 100/,
    ],
    [
      "a repeated parameter",
      () => ask("GET", "/api/repos?page=1&page=1"),
      400,
      "INVALID_QUERY_PARAMS",
      /more than once/,
    ],
    [
      "a value outside the enumeration",
      () => ask("GET", "/api/repos?sort=size"),
      400,
      "INVALID_QUERY_PARAMS",
      /"name", "pushed", "indexed"/,
    ],
    [
      "unknown repository",
      () => ask("GET", "/api/repos/skipped?repo=x"),
      404,
      "NOT_FOUND",
      /Repository "x" not found\./,
    ],
    [
      "a bearer token",
      () => search('{"query":"a"}', { ...json, authorization: "Bearer x" }),
      401,
      "NOT_AUTHENTICATED",
    ],
    [
      "a bearer token with an uppercase scheme",
      () => search('{"query":"a"}', { ...json, authorization: "BEARER x" }),
      401,
      "NOT_AUTHENTICATED",
    ],
    [
      "another scheme",
      () => search('{"query":"a"}', { ...json, authorization: "Basic eA==" }),
      401,
      "NOT_AUTHENTICATED",
    ],
    [
      "an API key",
      () => search('{"query":"a"}', { ...json, "x-service-api-key": "x" }),
      401,
      "NOT_AUTHENTICATED",
    ],
    [
      "a path of the local socket",
      () => ask("POST", "/call/search", json, '{"request":{"query":"a"}}'),
      404,
      "NOT_FOUND",
    ],
  ];
  for (const [name, call, status, code, message] of rows) {
    test(name, async () => checkFailure(await call(), status, code, message));
  }
});

describe("responses", () => {
  test("a search returns URLs, and unknown fields are ignored", async () => {
    const response = await search(
      '{"query":"found","unknown":1,"__proto__":{"a":1},"whole":null,"query":"found"}',
    );
    assert.equal(response.status, 200);
    const result = JSON.parse(response.body);
    assert.equal(
      result.files[0].webUrl,
      `${listener.url}/browse/github.com/o/r@refs/heads/main/-/blob/src/a%20b%23.ts`,
    );
    assert.equal(result.files[0].externalWebUrl, "https://github.com/o/r/blob/main/src/a%20b%23.ts");
    assert.equal(result.isSearchExhaustive, true);
    assert.equal(({} as Record<string, unknown>)["a"], undefined);
  });

  test("null counts as an absent field, at any depth", async () => {
    const place = {
      repo: "github.com/o/nothing",
      path: "a",
      ref: null,
      file: null,
      lineNumber: null,
      column: null,
    };
    const response = await ask("POST", "/api/outline", json, JSON.stringify({ place }));
    checkFailure(response, 404, "NOT_FOUND", /Repository "github.com\/o\/nothing" not found/);
  });

  test("URLs have the host of the request", async () => {
    const response = await search('{"query":"found"}', { ...json, host: `LocalHost.:${listener.port}` });
    assert.match(JSON.parse(response.body).files[0].webUrl, /^http:\/\/LocalHost\.:\d+\/browse/);
  });

  test("health, version and the OpenAPI document need no credentials", async () => {
    const closed = await openListener(callerOf(), { anonymous: "off" });
    try {
      const paths = { "/api/health": '{"status":"ok"}', "/api/version": '{"version":"1.2.3"}' };
      for (const [path, body] of Object.entries(paths)) {
        assert.equal((await ask("GET", path, { authorization: "Bearer x" }, undefined, closed)).body, body);
      }
      assert.equal((await ask("GET", "/api/openapi.json", {}, undefined, closed)).status, 200);
      const refused = await ask("GET", "/api/repos", {}, undefined, closed);
      checkFailure(refused, 401, "NOT_AUTHENTICATED", /needs credentials/);
      assert.equal(refused.headers["www-authenticate"], "Bearer");
    } finally {
      await closed.close();
    }
  });

  test("every response has headers for browsers and caches", async () => {
    for (const path of ["/api/health", "/api/nothing", "/api/repos/%E0%A4%A"]) {
      const { headers } = await ask("GET", path);
      assert.equal(headers["cache-control"], "no-store");
      assert.match(headers["content-security-policy"] ?? "", /default-src 'none'/);
      assert.equal(headers["access-control-allow-origin"], undefined);
    }
  });

  test("HEAD and OPTIONS are supported", async () => {
    const head = await ask("HEAD", "/api/health");
    assert.deepEqual([head.status, head.body, head.headers["content-length"]], [200, "", "15"]);
    for (const path of ["/api/search", "/api/health"]) {
      const options = await ask("OPTIONS", path);
      assert.equal(options.status, 204);
      assert.equal(options.headers["allow"], path === "/api/search" ? "POST, OPTIONS" : "GET, HEAD, OPTIONS");
    }
    assert.equal((await ask("OPTIONS", "/api/nothing")).status, 404);
    assert.equal((await ask("HEAD", "/api/search")).headers["allow"], "POST, OPTIONS");
  });

  test("pages have links and a total count", async () => {
    const links = async (query: string) => {
      const { headers, body } = await ask("GET", `/api/repos${query}`);
      assert.equal(headers["x-total-count"], "2");
      const relations = (headers["link"] ?? "")
        .replaceAll(listener.url, "")
        .replaceAll('rel="', "")
        .replaceAll('"', "");
      return `${JSON.parse(body).map((each: { repoName: string }) => each.repoName)} ${relations}`;
    };
    const page = (number: number) => `</api/repos?page=${number}&perPage=1>`;
    const rows: Record<string, string> = {
      "?page=1&perPage=1": `github.com/o/r ${page(1)}; first, ${page(2)}; next, ${page(2)}; last`,
      "?page=2&perPage=1": `github.com/o/s ${page(1)}; first, ${page(1)}; prev, ${page(2)}; last`,
      "?page=9&perPage=1": ` ${page(1)}; first, ${page(2)}; prev, ${page(2)}; last`,
    };
    for (const [query, expected] of Object.entries(rows)) assert.equal(await links(query), expected);
    assert.match(
      await links("?query=o%2F&unknown=a%26b"),
      /query=o%2F&unknown=a%26b&page=1&perPage=50>; first/,
    );
  });

  test("responses are compressed if the request accepts gzip", async () => {
    const encoding = async (header: string) => {
      const response = await ask("GET", "/api/openapi.json", { "accept-encoding": header });
      assert.equal(JSON.parse(response.body).openapi, "3.1.0");
      return response.headers["content-encoding"];
    };
    assert.equal(await encoding("gzip, br"), "gzip");
    assert.equal(await encoding("br;q=1, *;q=0.1"), "gzip");
    assert.equal(await encoding("identity"), undefined);
    assert.equal(await encoding("gzip;q=0, *"), undefined);
    assert.equal(
      (await ask("GET", "/api/health", { "accept-encoding": "gzip" })).headers["content-encoding"],
      undefined,
    );
    const head = await ask("HEAD", "/api/openapi.json");
    assert.ok(Number(head.headers["content-length"]) > 1000);
  });
});

describe("hosts and origins", () => {
  let guarded: TestListener;
  before(async () => {
    guarded = await openListener(found, {
      publicUrl: "https://code.example.org/trawl/",
      allowedHosts: ["Build.Example.org"],
      allowedOrigins: ["https://Portal.example.org", "vscode-webview://abc"],
    });
  });
  after(() => guarded.close());

  const hosts: Record<string, string> = {
    "127.0.0.1": "ok",
    "127.0.0.1:1": "ok",
    "127.8.8.8": "ok",
    "LOCALHOST:80": "ok",
    "localhost.": "ok",
    "[::1]:4878": "ok",
    "[0:0:0:0:0:0:0:1]": "ok",
    "code.example.org": "ok",
    "build.example.org:99": "ok",
    "evil.example.org": "HOST_NOT_ALLOWED",
    "127.0.0.1.evil.example.org": "HOST_NOT_ALLOWED",
    "localhost.evil.example.org:4878": "HOST_NOT_ALLOWED",
    "192.0.2.7": "HOST_NOT_ALLOWED",
    "[2001:db8::1]": "HOST_NOT_ALLOWED",
    "user@localhost": "MALFORMED_REQUEST",
    "localhost/evil": "MALFORMED_REQUEST",
    "localhost:port": "MALFORMED_REQUEST",
    "": "MALFORMED_REQUEST",
  };
  for (const [host, expected] of Object.entries(hosts)) {
    test(`host ${host}`, async () => {
      const request = `GET /api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const response = await rawRequest(guarded.port, request);
      const code = /"errorCode":"(\w+)"/.exec(response)?.[1] ?? /"status":"(\w+)"/.exec(response)?.[1];
      assert.equal(code, expected, response);
    });
  }

  test("a request without a host or with two hosts is refused", async () => {
    const none = await rawRequest(guarded.port, "GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert.match(none, /^HTTP\/1\.1 400 [\s\S]*MALFORMED_REQUEST/);
    const two = "GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n";
    assert.match(await rawRequest(guarded.port, two), /^HTTP\/1\.1 400 [\s\S]*MALFORMED_REQUEST/);
  });

  test("only allowed origins are accepted", async () => {
    const own = `http://127.0.0.1:${guarded.port}`;
    const rows: [origin: string, status: number, allowed: string | undefined][] = [
      [own, 200, undefined],
      ["https://code.example.org", 200, undefined],
      ["https://portal.example.org", 200, "https://portal.example.org"],
      ["vscode-webview://abc", 200, "vscode-webview://abc"],
      ["http://portal.example.org", 403, undefined],
      ["http://localhost:3000", 403, undefined],
      ["https://127.0.0.1", 403, undefined],
      ["null", 403, undefined],
      ["vscode-webview://abd", 403, undefined],
      ["nonsense", 403, undefined],
    ];
    for (const [origin, status, allowed] of rows) {
      const response = await ask("GET", "/api/health", { origin }, undefined, guarded);
      assert.equal(response.status, status, origin);
      assert.equal(response.headers["access-control-allow-origin"], allowed, origin);
      if (status === 403) checkFailure(response, 403, "ORIGIN_NOT_ALLOWED");
    }
    const preflight = await ask(
      "OPTIONS",
      "/api/search",
      { origin: "https://portal.example.org" },
      undefined,
      guarded,
    );
    assert.equal(preflight.headers["access-control-allow-methods"], "POST, OPTIONS");
    assert.match(preflight.headers["access-control-allow-headers"] ?? "", /authorization, content-type/);
  });

  test("cross-site requests of a browser are refused, except for navigation and allowed origins", async () => {
    const form = "application/x-www-form-urlencoded";
    const elsewhere = "http://localhost:3000";
    const rows: [name: string, method: string, headers: Record<string, string>, status: number][] = [
      ["fetch", "GET", { origin: elsewhere, "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" }, 403],
      ["fetch without cors", "GET", { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }, 403],
      [
        "an image on another site",
        "GET",
        { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
        403,
      ],
      ["a form", "POST", { origin: elsewhere, "content-type": form, "sec-fetch-mode": "navigate" }, 403],
      ["a form with a null origin", "POST", { origin: "null", "content-type": form }, 403],
      ["a form of plain text", "POST", { "content-type": "text/plain" }, 415],
      [
        "a link on another site",
        "GET",
        { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
        200,
      ],
      ["its own page", "GET", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }, 200],
      ["an address typed by the user", "GET", { "sec-fetch-site": "none" }, 200],
      ["a program", "GET", {}, 200],
      [
        "a page of an allowed origin",
        "GET",
        { origin: "https://portal.example.org", "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" },
        200,
      ],
    ];
    for (const [name, method, headers, status] of rows) {
      const body = method === "POST" ? '{"query":"found"}' : undefined;
      const path = method === "POST" ? "/api/search" : "/api/health";
      assert.equal((await ask(method, path, headers, body, guarded)).status, status, name);
    }
    const preflight = await ask(
      "OPTIONS",
      "/api/ee/user?userId=x",
      { origin: elsewhere },
      undefined,
      guarded,
    );
    checkFailure(preflight, 403, "ORIGIN_NOT_ALLOWED");
  });

  test("URLs start with the public URL", async () => {
    const response = await ask("POST", "/api/search", json, '{"query":"found"}', guarded);
    assert.match(JSON.parse(response.body).files[0].webUrl, /^https:\/\/code\.example\.org\/trawl\/browse\//);
    const pages = await ask("GET", "/api/repos", {}, undefined, guarded);
    assert.match(pages.headers["link"] ?? "", /^<https:\/\/code\.example\.org\/trawl\/api\/repos\?/);
  });
});
