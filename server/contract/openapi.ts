/** The rows as an OpenAPI 3.1 document, from the very schemas that validate. */
import * as z from "zod";
import type { ErrorCode } from "#base/error";
import * as commits from "./commits";
import { ErrorObject, errorStatus } from "./error";
import * as history from "./history";
import { type HttpOperation, isAskedByQuery, isKept, isServedOverHttp } from "./operation";
import { operation, operationNames } from "./operations";
import * as organisation from "./organisation";
import { Position, Range } from "./position";
import * as repositories from "./repositories";
import * as search from "./search";
import { Health, Version } from "./system";

/** The version label of the described interface, which is not the service's own version. */
const interfaceVersion = "v5.0.4";

type Json = Record<string, unknown>;

/** Schemas that get a name in the document; everything else is written out where it is used. */
const requests: Record<string, z.ZodType> = { SearchRequest: search.SearchRequest };

const answers: Record<string, z.ZodType> = {
  ErrorObject,
  Position,
  Range,
  SymbolHit: search.SymbolHit,
  Chunk: search.Chunk,
  FileMatch: search.FileMatch,
  SearchStats: search.SearchStats,
  FoundCommit: search.FoundCommit,
  CommitItem: commits.CommitItem,
  CommitDetails: commits.CommitDetails,
  CommitAuthor: commits.CommitAuthor,
  Hunk: commits.Hunk,
  ChangedFile: commits.ChangedFile,
  Diff: commits.Diff,
  Suggestion: search.Suggestion,
  SearchResult: search.SearchResult,
  SearchFiles: search.SearchFiles,
  SearchProgress: search.SearchProgress,
  SearchEvent: search.SearchEvent,
  SearchEnd: search.SearchEnd,
  CodeHostType: repositories.CodeHostType,
  RepositoryInfo: repositories.RepositoryInfo,
  RepositoryState: repositories.RepositoryState,
  RepositoryItem: repositories.RepositoryItem,
  SkippedDocument: repositories.SkippedDocument,
  UnparsedDocument: repositories.UnparsedDocument,
  Branch: history.Branch,
  TreeNode: history.TreeNode,
  FileTree: history.FileTree,
  FileSource: history.FileSource,
  BlameRange: history.BlameRange,
  BlameCommit: history.BlameCommit,
  Blame: history.Blame,
  Role: organisation.Role,
  Member: organisation.Member,
  MemberRemoved: organisation.MemberRemoved,
  AuditRecord: organisation.AuditRecord,
  Health,
  Version,
};

/** `serverUrl` is the address that clients use, without a trailing slash. */
export function openApiDocument(serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const name of operationNames) {
    const row = operation(name);
    if (!isServedOverHttp(row)) continue;
    paths[row.http.path] = {
      ...paths[row.http.path],
      [row.http.method.toLowerCase()]: describe(name, row),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Code Search and Repository Browsing Service",
      version: interfaceVersion,
      description: "Searches indexed git repositories, at any indexed revision.",
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(operationNames.map((name) => operation(name).tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...namedSchemas(requests, "input"), ...namedSchemas(answers, "output") },
      headers: {
        "X-Total-Count": { description: "Items on all pages.", schema: { type: "integer" } },
        Link: {
          description: "Addresses of the `first`, `prev`, `next` and `last` page, as in RFC 8288.",
          schema: { type: "string" },
        },
        ETag: {
          description: "Names the answer, for `If-None-Match` the next time.",
          schema: { type: "string" },
        },
        "Retry-After": { description: "Seconds to wait before trying again.", schema: { type: "integer" } },
      },
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key, or where the instance has a licence and an issuer, an OAuth access token.",
        },
        apiKey: { type: "apiKey", in: "header", name: "X-Service-Api-Key", description: "An API key." },
      },
    },
  };
}

function describe(name: string, row: HttpOperation): Json {
  return {
    operationId: name,
    tags: [row.tag],
    summary: row.summary,
    ...(isAskedByQuery(row) ? { parameters: parameters(row) } : { requestBody: requestBody(row) }),
    responses: { "200": success(row), ...(isKept(row) ? unchanged : {}), ...failures(row) },
    security: security(row),
  };
}

/** An empty requirement stands for no credential. */
function security(row: HttpOperation): Json[] {
  if (row.access === "open") return [{}];
  const keyed: Json[] = [{ bearer: [] }, { apiKey: [] }];
  return row.access === "anonymous" ? [...keyed, {}] : keyed;
}

function parameters(row: HttpOperation): Json[] {
  const schema = jsonSchema(row.request, "input");
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  return Object.entries(properties(schema)).map(([name, { description, ...rest }]) => ({
    name,
    in: "query",
    required: required.has(name),
    description,
    schema: rest,
  }));
}

function requestBody(row: HttpOperation): Json {
  return { required: true, content: { "application/json": { schema: reference(row.request, "input") } } };
}

function success(row: HttpOperation): Json {
  const schema = reference(row.response, "output");
  if (row.event !== undefined) {
    const schemaOf = (event: string, data: z.ZodType): Json => ({
      type: "object",
      properties: { event: { type: "string", const: event }, data: reference(data, "output") },
      required: ["event", "data"],
    });
    const last = [schemaOf("done", row.response), schemaOf("error", ErrorObject)];
    return {
      description: "Server-sent events, each with its name and its data; the last is `done` or `error`.",
      content: { "text/event-stream": { schema: { oneOf: [reference(row.event, "output"), ...last] } } },
    };
  }
  const names = [...(row.paged ? ["X-Total-Count", "Link"] : []), ...(isKept(row) ? ["ETag"] : [])];
  const headers = names.length === 0 ? {} : { headers: Object.fromEntries(names.map(headerReference)) };
  return { description: row.response.description, ...headers, content: { "application/json": { schema } } };
}

const unchanged = { "304": { description: "The same as the answer that `If-None-Match` names." } };

function headerReference(name: string): [string, Json] {
  return [name, { $ref: `#/components/headers/${name}` }];
}

/** Failures that any call can have, by what it needs. */
function failures(row: HttpOperation): Json {
  const codes: ErrorCode[] = ["MALFORMED_REQUEST", ...row.errors, "HOST_NOT_ALLOWED", "ORIGIN_NOT_ALLOWED"];
  if (row.http.method === "POST") codes.push("REQUEST_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE");
  if (row.access !== "open") codes.push("NOT_AUTHENTICATED", "OVERLOADED", "ENGINE_UNAVAILABLE");
  if (row.access === "owner") codes.push("INSUFFICIENT_PERMISSIONS");
  if (row.licensed) codes.push("LICENSE_REQUIRED");
  codes.push("HEADERS_TOO_LARGE", "UNEXPECTED_ERROR");
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const status = errorStatus[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = { "application/json": { schema: reference(ErrorObject, "output") } };
  const answersOf = [...byStatus]
    .sort(([left], [right]) => left - right)
    .map(([status, names]) => {
      const headers =
        status === errorStatus.OVERLOADED
          ? { headers: { "Retry-After": { $ref: "#/components/headers/Retry-After" } } }
          : {};
      return [
        String(status),
        { description: names.map((code) => `\`${code}\``).join(", "), ...headers, content },
      ];
    });
  return Object.fromEntries(answersOf);
}

function reference(schema: z.ZodType, io: "input" | "output"): Json {
  const name = nameOf(schema);
  return name === undefined ? jsonSchema(schema, io) : { $ref: address(name) };
}

function nameOf(schema: unknown): string | undefined {
  return Object.entries({ ...requests, ...answers }).find(([, named]) => named === schema)?.[0];
}

function address(name: string): string {
  return `#/components/schemas/${name}`;
}

function namedSchemas(schemas: Record<string, z.ZodType>, io: "input" | "output"): Json {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, jsonSchema(schema, io, name)]),
  );
}

/** The JSON schema of `schema`, with references in place of named schemas other than `self`. */
function jsonSchema(schema: z.ZodType, io: "input" | "output", self?: string): Json {
  const json = z.toJSONSchema(schema, {
    io,
    // Objects gain fields over time, so that none is closed.
    override({ zodSchema, jsonSchema: part }) {
      if (part.additionalProperties === false) delete part.additionalProperties;
      // A bound that says no more than "integer".
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
      if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
      const name = nameOf(zodSchema);
      if (name === undefined || name === self) return;
      for (const key of Object.keys(part)) delete (part as Json)[key];
      part.$ref = address(name);
    },
  });
  const { $schema: _dialect, "~standard": _standard, $defs = {}, ...rest } = json as Json;
  return rewritten(rest, $defs as Json, self) as Json;
}

/** A schema that holds itself is called by its name, from inside and from outside. */
function rewritten(value: unknown, definitions: Json, self: string | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => rewritten(item, definitions, self));
  const { $ref } = value as Json;
  if ($ref === "#" && self !== undefined) return { $ref: address(self) };
  const defined = typeof $ref === "string" ? definitions[$ref.replace(/^#\/\$defs\//, "")] : undefined;
  if (defined !== undefined) return defined;
  return Object.fromEntries(
    Object.entries(value).map(([key, inside]) => [key, rewritten(inside, definitions, self)]),
  );
}

function properties(schema: Json): Record<string, Json> {
  return (schema["properties"] ?? {}) as Record<string, Json>;
}
