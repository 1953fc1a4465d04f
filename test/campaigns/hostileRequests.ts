/** Hostile requests, as bytes: generated from the OpenAPI document, from a corpus of texts, and from abuses of HTTP. */
import { openApiDocument } from "#contract/openapi";
import type { OperationName } from "#contract/operations";
import type { Random } from "#test/support/corpus";
import { hostileTexts, hostileValue } from "./hostileText";

interface HostileRequest {
  /** The bytes to send, in pieces with a pause between them. */
  readonly pieces: readonly Buffer[];
  /** The operation that is called; absent if it may be none. */
  readonly operation?: OperationName;
  readonly isHead: boolean;
  /** Whether the request is complete and must get a response. Others may get none. */
  readonly isComplete: boolean;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly $ref?: string;
}

interface Described {
  readonly name: OperationName;
  readonly method: string;
  readonly path: string;
  /** Parameters of its query string. */
  readonly parameters: readonly {
    readonly name: string;
    readonly schema: Schema;
    readonly required: boolean;
  }[];
  readonly body?: Schema;
  /** Documented status codes. */
  readonly statuses: readonly number[];
}

interface DocumentedOperation {
  readonly operationId: OperationName;
  readonly parameters?: Described["parameters"];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The OpenAPI document as a client reads it. */
const document: Documented = JSON.parse(JSON.stringify(openApiDocument("http://localhost")));

const described: readonly Described[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, responses }]) => {
    const body = resolved(requestBody?.content["application/json"]?.schema);
    return {
      name: operationId,
      method: method.toUpperCase(),
      path,
      parameters,
      ...(body === undefined ? {} : { body }),
      statuses: Object.keys(responses).map(Number),
    };
  }),
);

function resolved(schema: Schema | undefined): Schema | undefined {
  const name = schema?.$ref?.split("/").at(-1);
  return name === undefined ? schema : document.components.schemas[name];
}

const repositories = ["github.com/acme/shop", "github.com/acme/web"];
const kinds = [
  ["query string", 40],
  ["body", 34],
  ["raw body", 8],
  ["target", 8],
  ["headers", 5],
  ["wire", 5],
] as const;

type Kind = (typeof kinds)[number][0];

export interface GeneratedRequest extends HostileRequest {
  readonly kind: Kind;
}

/** Generates a request; `key` is a valid credential. */
export function hostileRequest(random: Random, key: string): GeneratedRequest {
  const kind = random.pick(kinds.flatMap(([each, weight]) => Array<Kind>(weight).fill(each)));
  return { kind, ...makers[kind](random, key) };
}

const makers: Readonly<Record<Kind, (random: Random, key: string) => HostileRequest>> = {
  "query string": queryString,
  body: (random, key) => {
    const operation = random.pick(described.filter(({ body }) => body !== undefined));
    return call(operation, JSON.stringify(value(operation.body ?? {}, random, "")), keyed(operation, key));
  },
  "raw body": rawBody,
  target,
  headers: hostileHeaders,
  wire,
};

function keyed({ path }: Described, key: string): string[] {
  return path.startsWith("/api/ee/") ? [`Authorization: Bearer ${key}`] : [];
}

function call(operation: Described, body: string | Buffer, headers: readonly string[] = []): HostileRequest {
  const bytes = Buffer.from(body as string);
  const type = headers.some((header) => /^content-type:/i.test(header))
    ? []
    : ["Content-Type: application/json"];
  const fields = [...type, `Content-Length: ${bytes.length}`, ...headers];
  return {
    pieces: [Buffer.concat([head(operation.method, operation.path, fields), bytes])],
    operation: operation.name,
    isHead: false,
    isComplete: true,
  };
}

function head(method: string, address: string, fields: readonly string[] = []): Buffer {
  const lines = [`${method} ${address} HTTP/1.1`, "Host: localhost", "Connection: close", ...fields];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

function get(address: string, fields: readonly string[] = []): HostileRequest {
  return { pieces: [head("GET", address, fields)], isHead: false, isComplete: true };
}

function queryString(random: Random, key: string): HostileRequest {
  const operation = random.pick(described.filter(({ body }) => body === undefined));
  const pairs = operation.parameters.flatMap(({ name, schema, required }) => {
    if (!random.chance(required ? 0.97 : 0.4)) return [];
    const sent = value(schema, random, name);
    const text = typeof sent === "string" ? sent : JSON.stringify(sent);
    return [`${name}=${encoded(text.slice(0, 3000))}`];
  });
  if (random.chance(0.1))
    pairs.push(`${encoded(random.pick(hostileTexts).slice(0, 3000))}=${random.between(0, 9)}`);
  if (random.chance(0.03)) pairs.push(...pairs.slice(0, 1));
  if (random.chance(0.03)) pairs.push("%", "=", "&&", "%E0%A4%A=%ff");
  const method = operation.method === "GET" && random.chance(0.05) ? "HEAD" : operation.method;
  const address = `${operation.path}?${pairs.join("&")}`;
  return {
    pieces: [head(method, address.slice(0, 12_000), keyed(operation, key))],
    operation: operation.name,
    isHead: method === "HEAD",
    isComplete: true,
  };
}

/** Percent-encodes text; replaces what UTF-8 cannot represent. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

/** Generates a field value, mostly a valid one, so that the other fields reach the code after validation. */
function value(schema: Schema, random: Random, name: string): unknown {
  if (schema.properties !== undefined && random.chance(0.97)) {
    const { required = [] } = schema;
    const fields = Object.entries(schema.properties).filter(([each]) =>
      random.chance(required.includes(each) ? 0.97 : 0.4),
    );
    return Object.fromEntries([
      ...fields.map(([each, field]) => [each, value(field, random, each)]),
      ...(random.chance(0.1) ? [[random.pick(hostileTexts), hostileValue(random)]] : []),
    ]);
  }
  if (/^repo/.test(name) && schema.items === undefined && random.chance(0.9))
    return random.pick(repositories);
  if (random.chance(0.12)) return hostileValue(random);
  const types = [schema.type ?? "object"].flat();
  if (schema.enum !== undefined) return random.pick(schema.enum);
  if (types.includes("integer")) return integer(schema, random);
  if (types.includes("boolean")) return random.chance(0.5);
  if (types.includes("array")) {
    return Array.from({ length: random.pick([0, 1, 3, 20]) }, () => value(schema.items ?? {}, random, name));
  }
  if (schema.examples !== undefined && random.chance(0.45)) return random.pick(schema.examples);
  return random.pick(hostileTexts);
}

function integer({ minimum = 0, maximum = 2 ** 53 - 1 }: Schema, random: Random): number {
  if (random.chance(0.6)) return Math.min(maximum, minimum + random.between(0, 20));
  return random.pick([minimum, maximum, minimum - 1, maximum + 1, 0, -1, 2 ** 31, 2 ** 53]);
}

const contentTypes = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  'application/json; charset="utf-8"',
  "application/json;;",
  "application/json, text/plain",
  "",
  "*/*",
  "application/xml",
];

function rawBody(random: Random, key: string): HostileRequest {
  const operation = random.pick(described.filter(({ body }) => body !== undefined));
  const text = JSON.stringify(random.pick(hostileTexts));
  const fields = Object.keys(operation.body?.properties ?? {});
  const name = random.pick(fields);
  const bodies: (string | Buffer)[] = [
    "",
    "[]",
    "null",
    "{",
    '{"query":',
    `{"${name}":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
    `{"${name}":${text},"${name}":1,"${name}":null}`,
    `{"__proto__":{"${name}":${text}},"constructor":{"prototype":{"x":1}},"${name}":${text}}`,
    `{"${name}":"\\ud800","query":"\\udfff\\ud800","symbolName":"\\u0000"}`,
    Buffer.from(`{"query":"\xff\xfe\xc0\x80","${name}":"\xed\xa0\x80"}`, "latin1"),
    Buffer.from('\ufeff{"query":"a"}'),
    Buffer.from(`{"query":"a"}`, "utf16le"),
    `{"query":"a","matches":1e400}`,
    `{"query":"a","matches":${"9".repeat(400)}}`,
    `{"repoName":"github.com/acme/shop","paths":[${Array(random.pick([1000, 1001, 50_000]))
      .fill('"src"')
      .join(",")}]}`,
    `{"query":${JSON.stringify("x".repeat(random.pick([9999, 10_001, 1_000_000, 1_048_600])))}}`,
    `{"query":"a"}${" ".repeat(2000)}x`,
    "a=b&query=c",
    Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
  ];
  const headers = [
    ...keyed(operation, key),
    ...(random.chance(0.2) ? [`Content-Type: ${random.pick(contentTypes)}`] : []),
    ...(random.chance(0.1)
      ? [`Content-Encoding: ${random.pick(["gzip", "identity", "br", "x", "gzip, gzip"])}`]
      : []),
  ];
  return call(operation, random.pick(bodies), headers);
}

function target(random: Random): HostileRequest {
  const text = () => encoded(random.pick(hostileTexts).slice(0, 2000));
  const raw = () =>
    Buffer.from(
      random
        .pick(hostileTexts)
        .slice(0, 2000)
        .replace(/[\s\0]/g, "_"),
    ).toString("latin1");
  const repository = random.pick(["github.com/acme/shop", text()]);
  const view = random.pick(["blob", "tree", "commit", "raw", text()]);
  const path = random.pick(["src/cart.ts", "src", "", "README.md", text(), `src/${text()}`]);
  const page = `/browse/${repository}@${random.pick(["main", "HEAD", text()])}/-/${view}/${path}`;
  const address = random.pick([
    page,
    `${page}?blame=1`,
    `/browse/${text()}`,
    `/browse/${raw()}`,
    `/${raw()}`,
    `/api/${text()}`,
    `/api/repos/${raw()}`,
    `/api/../browse/${text()}`,
    `//${text()}`,
    `/api/repos?page=1#${text()}`,
    `http://localhost${page}`,
    `http://localhost/api/repos?query=${text()}`,
    `http://${text()}/api/repos`,
    `https://localhost/api/commits?repo=github.com/acme/shop&author=${text()}`,
    `/call/search`,
    `/session`,
    "*",
  ]);
  const method = random.pick([
    "GET",
    "GET",
    "GET",
    "HEAD",
    "OPTIONS",
    "POST",
    "DELETE",
    "PUT",
    "PATCH",
    "TRACE",
    "PROPFIND",
  ]);
  return { pieces: [head(method, address)], isHead: method === "HEAD", isComplete: true };
}

function hostileHeaders(random: Random): HostileRequest {
  const text = random
    .pick(hostileTexts)
    .slice(0, 3000)
    .replace(/[\r\n\0]/g, "_");
  const bytes = Buffer.from(text).toString("latin1");
  const many = (count: number, line: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n));
  const fields = random.pick<readonly string[]>([
    many(200, (n) => `X-${n}: ${n}`),
    many(1500, (n) => `X-${n}: ${n}`),
    many(3, () => `Cookie: ${"a=b; ".repeat(900)}`),
    [`X-Service-Client-Source: ${bytes}`],
    [`User-Agent: ${bytes}`],
    [`Origin: ${bytes}`],
    [`Origin: http://evil.example`, "Sec-Fetch-Site: cross-site"],
    ["Host: evil.example"],
    [`If-None-Match: ${bytes}`],
    [`Accept-Encoding: ${bytes}, gzip;q=${bytes.slice(0, 20)}`],
    [`Accept: ${bytes}`],
    [`Cookie: trawl_session=${"x".repeat(43)}`],
    ["Upgrade: websocket", "Connection: Upgrade"],
    ["Expect: 100-continue"],
    ["Expect: tea"],
    ["Range: bytes=0-", "If-Range: x", "TE: trailers", "Trailer: X"],
    [`X-Forwarded-Host: evil.example`, "X-Forwarded-For: 127.0.0.1", "Forwarded: host=evil"],
    [`X-Http-Method-Override: DELETE`],
    // Wrong credentials delay the response, so use few of them.
    ...(random.chance(0.1)
      ? [[`Authorization: ${bytes || "x"}`], [`X-Service-Api-Key: ${bytes || "x"}`]]
      : []),
  ]);
  return get(
    random.pick(["/api/health", "/api/repos", "/api/version", "/browse/github.com/acme/shop"]),
    fields,
  );
}

function wire(random: Random): HostileRequest {
  const body = '{"query":"addItem"}';
  const post = "POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const health = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const last = "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const incomplete: readonly string[][] = [
    ["GET /api/he"],
    ["GET /api/health HTTP/1.1\r\nHost: local"],
    [`${post}Content-Length: 100\r\n\r\n${body}`],
    [`${post}Transfer-Encoding: chunked\r\n\r\n5\r\n{"que`],
    [...last.slice(0, 40)],
    [""],
  ];
  const complete: readonly string[][] = [
    // Two framings; each hides a request from a server that uses the other
    [`${post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG${last}`],
    [`${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":1${last}`],
    [`${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${last}`],
    [`${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${last}`],
    [`${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${last}`],
    [`${post}Content-Length: +19\r\n\r\n${body}${last}`],
    [`${post}Content-Length: 0x13\r\n\r\n${body}${last}`],
    [`${post}Content-Length: -1\r\n\r\n${body}`],
    [`${post}Content-Length: 99999999999999999999\r\n\r\n${body}`],
    [`${post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n${body}`],
    [`${post}Transfer-Encoding: chunked\r\n\r\n13;${"x".repeat(20_000)}\r\n${body}\r\n0\r\n\r\n${last}`],
    [`${post}Transfer-Encoding: chunked\r\n\r\n13\n${body}\n0\n\n${last}`],
    // Malformed lines
    ["GET /api/health HTTP/1.1\nHost: localhost\nConnection: close\n\n"],
    ["GET  /api/health  HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["GET /api/health HTTP/9.9\r\nHost: localhost\r\n\r\n"],
    ["GET /api/health\r\n\r\n"],
    ["GET /api/health HTTP/1.1\r\nHost: localhost\r\n folded: x\r\nConnection: close\r\n\r\n"],
    ["GET /api/health HTTP/1.1\r\nHost: localhost\r\nX\0: y\r\n\r\n"],
    ["GET /api/health HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n"],
    ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n"],
    ["OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"],
    // Several at once, and slowly
    [health.repeat(50) + last],
    [`${health}${post}Content-Length: ${body.length}\r\n\r\n${body}${last}`],
    [`${post}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}${health.repeat(20)}`],
    [last.slice(0, 9), last.slice(9, 30), last.slice(30)],
    [`${post}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`, ...body],
    [
      `${post}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`,
      ...[...body].map((letter) => `1\r\n${letter}\r\n`),
      "0\r\n\r\n",
    ],
    [
      `${post}Connection: close\r\nContent-Length: 3000000\r\n\r\n`,
      ...Array<string>(30).fill("x".repeat(100_000)),
    ],
  ];
  const isComplete = random.chance(0.8);
  const pieces = random.pick(isComplete ? complete : incomplete);
  return { pieces: pieces.map((piece) => Buffer.from(piece, "latin1")), isHead: false, isComplete };
}

export const operationStatuses: ReadonlyMap<OperationName, readonly number[]> = new Map(
  described.map(({ name, statuses }) => [name, statuses]),
);
