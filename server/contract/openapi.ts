/** Generates the OpenAPI 3.1 document from the schemas that validate requests. */
import * as z from "zod";
import type { ErrorCode } from "#base/error";
import * as codeHosts from "./codeHosts";
import * as commits from "./commits";
import { ErrorObject, errorStatus } from "./error";
import * as history from "./history";
import { links } from "./links";
import {
  type HttpOperation,
  isCacheable,
  isServedOverHttp,
  localOnly,
  type Operation,
  pathFields,
  requiredOverHttp,
  usesQueryString,
} from "./operation";
import { type OperationName, operation, operationNames } from "./operations";
import * as organization from "./organization";
import { Position, Range } from "./position";
import * as repositories from "./repositories";
import * as search from "./search";
import { Health, Version } from "./system";

/** Version of the API, not of the service. */
const apiVersion = "v5.0.4";

type Json = Record<string, unknown>;

/** Where the values of a schema are used. */
type SchemaUse = "query" | "body" | "output";

/** Request schemas that get a name in the document. All schemas without a name are inlined. */
const requests: Record<string, z.ZodType> = { SearchRequest: search.SearchRequest };

const responses: Record<string, z.ZodType> = {
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
  CodeHostRepository: codeHosts.CodeHostRepository,
  CodeHostStatus: codeHosts.CodeHostStatus,
  CodeHostPlan: codeHosts.CodeHostPlan,
  CodeHostSync: codeHosts.CodeHostSync,
  ConfirmedCount: codeHosts.ConfirmedCount,
  Branch: history.Branch,
  TreeNode: history.TreeNode,
  FileTree: history.FileTree,
  FileSource: history.FileSource,
  BlameRange: history.BlameRange,
  BlameCommit: history.BlameCommit,
  Blame: history.Blame,
  Role: organization.Role,
  Member: organization.Member,
  MemberRemoved: organization.MemberRemoved,
  AuditRecord: organization.AuditRecord,
  Health,
  Version,
};

/** Returns the document as JSON. `serverUrl` is the address that clients use, without a trailing slash. */
export function openApiDocument(serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const name of operationNames) {
    const row = operation(name);
    if (!isServedOverHttp(row)) continue;
    paths[row.http.path] = {
      ...paths[row.http.path],
      [row.http.method.toLowerCase()]: describeOperation(name, row),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Code Search and Repository Browsing Service",
      version: apiVersion,
      description: "Searches indexed git repositories, at any indexed revision.",
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(operationNames.map((name) => operation(name).tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...namedSchemas(requests, "body"), ...namedSchemas(responses, "output") },
      headers: {
        "X-Total-Count": { description: "Number of items on all pages.", schema: { type: "integer" } },
        "X-Incomplete": {
          description: "Present if items may be missing: why, and how to get them.",
          schema: { type: "string" },
        },
        Link: {
          description:
            "URLs of the `first`, `prev`, `next` and `last` page, as in RFC 8288. Relations are omitted if long parameters would make the header exceed 6 KiB.",
          schema: { type: "string" },
        },
        ETag: {
          description: "Tag of the response, for `If-None-Match` in the next request.",
          schema: { type: "string" },
        },
        "Retry-After": { description: "Seconds to wait before trying again.", schema: { type: "integer" } },
      },
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API key; on licensed instances with an issuer, also an OAuth access token.",
        },
        apiKey: { type: "apiKey", in: "header", name: "X-Service-Api-Key", description: "An API key." },
      },
    },
  };
}

function describeOperation(name: OperationName, row: HttpOperation): Json {
  return {
    operationId: name,
    tags: [row.tag],
    summary: row.summary,
    ...(hasBody(row) ? { requestBody: requestBody(row) } : { parameters: parameters(row) }),
    responses: {
      "200": successResponse(name, row),
      ...(isCacheable(row) ? notModified : {}),
      ...errorResponses(row),
    },
    security: securityRequirements(row),
  };
}

/** An empty requirement means that no credentials are needed. */
function securityRequirements(row: HttpOperation): Json[] {
  if (row.access === "open") return [{}];
  const withKey: Json[] = [{ bearer: [] }, { apiKey: [] }];
  return row.access === "anonymous" ? [...withKey, {}] : withKey;
}

function hasBody(row: Operation): boolean {
  return !usesQueryString(row) && pathFields(row).length === 0;
}

function parameters(row: HttpOperation): Json[] {
  const schema = jsonSchema(row.request, "query");
  const inPath = pathFields(row);
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  return Object.entries(properties(schema)).map(([name, { description, ...rest }]) => ({
    name,
    in: inPath.includes(name) ? "path" : "query",
    required: required.has(name),
    description,
    schema: rest,
  }));
}

function requestBody(row: HttpOperation): Json {
  return { required: true, content: { "application/json": { schema: reference(row.request, "body") } } };
}

function successResponse(name: OperationName, row: HttpOperation): Json {
  const schema = reference(row.response, "output");
  if (row.event !== undefined) {
    const finalEvents = [
      { event: "done", data: reference(row.response, "output") },
      { event: "error", data: reference(ErrorObject, "output") },
    ];
    const oneOf = [...emittedEvents(row.event), ...finalEvents].map(eventSchema);
    return {
      description: "Server-sent events. The last one is `done` or `error`.",
      content: { "text/event-stream": { schema: { oneOf } } },
    };
  }
  const names = [
    ...(row.isPaged ? ["X-Total-Count", "Link"] : []),
    ...(name === "commits" ? ["X-Incomplete"] : []),
    ...(isCacheable(row) ? ["ETag"] : []),
  ];
  const headers = names.length === 0 ? {} : { headers: Object.fromEntries(names.map(headerReference)) };
  return {
    description: row.response.description,
    ...headers,
    content: { "application/json": { schema } },
    ...linksOf(name),
  };
}

interface StreamEvent {
  readonly event: string;
  /** Schema of the JSON document that the event carries. */
  readonly data: Json;
}

/** Returns the events that may precede the last event of a stream. */
function emittedEvents(schema: z.ZodType): StreamEvent[] {
  const variants = schema instanceof z.ZodDiscriminatedUnion ? schema.options : [schema];
  return variants.flatMap((variant) => {
    if (!(variant instanceof z.ZodObject)) return [];
    const { event, data } = variant.shape;
    return [{ event: String(event.value), data: reference(data, "output") }];
  });
}

/** Returns the schema of an event. On the wire, its data is JSON text. */
function eventSchema({ event, data }: StreamEvent): Json {
  return {
    type: "object",
    properties: {
      event: { type: "string", const: event },
      data: { type: "string", contentMediaType: "application/json", contentSchema: data },
    },
    required: ["event", "data"],
  };
}

/** Returns the links from a response to follow-up requests. */
function linksOf(name: OperationName): Json {
  const targets = Object.entries(links[name] ?? {});
  if (targets.length === 0) return {};
  return {
    links: Object.fromEntries(
      targets.map(([target, fields]) => {
        const row = operation(target as OperationName);
        const inPath = pathFields(row);
        const linkInput = hasBody(row)
          ? { requestBody: fields }
          : {
              parameters: Object.fromEntries(
                Object.entries(fields).map(([field, value]) => [
                  `${inPath.includes(field) ? "path" : "query"}.${field}`,
                  value,
                ]),
              ),
            };
        return [target, { operationId: target, ...(Object.keys(fields).length === 0 ? {} : linkInput) }];
      }),
    ),
  };
}

const notModified = { "304": { description: "The response that `If-None-Match` names is still current." } };

function headerReference(name: string): [string, Json] {
  return [name, { $ref: `#/components/headers/${name}` }];
}

/** Responses for the errors of the operation and for those that any call of its kind can have. */
function errorResponses(row: HttpOperation): Json {
  const codes: ErrorCode[] = ["MALFORMED_REQUEST", ...row.errors, "HOST_NOT_ALLOWED", "ORIGIN_NOT_ALLOWED"];
  if (row.http.method === "POST" && hasBody(row)) codes.push("REQUEST_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE");
  if (row.access !== "open") codes.push("NOT_AUTHENTICATED", "OVERLOADED", "ENGINE_UNAVAILABLE", "TIMED_OUT");
  if (row.access === "owner" || row.changes) codes.push("INSUFFICIENT_PERMISSIONS");
  if (row.licensed) codes.push("LICENSE_REQUIRED");
  codes.push("HEADERS_TOO_LARGE", "UNEXPECTED_ERROR");
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const status = errorStatus[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = { "application/json": { schema: reference(ErrorObject, "output") } };
  const entries = [...byStatus]
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
  return Object.fromEntries(entries);
}

function reference(schema: z.ZodType, use: SchemaUse): Json {
  const name = nameOf(schema);
  return name === undefined ? jsonSchema(schema, use) : { $ref: schemaReference(name) };
}

function nameOf(schema: unknown): string | undefined {
  return Object.entries({ ...requests, ...responses }).find(([, candidate]) => candidate === schema)?.[0];
}

function schemaReference(name: string): string {
  return `#/components/schemas/${name}`;
}

function namedSchemas(schemas: Record<string, z.ZodType>, use: SchemaUse): Json {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, jsonSchema(schema, use, name)]),
  );
}

/** Returns the JSON schema of `schema`, in which named schemas other than `self` are references. */
function jsonSchema(schema: z.ZodType, use: SchemaUse, self?: string): Json {
  const json = z.toJSONSchema(schema, {
    io: use === "output" ? "output" : "input",
    // Objects gain fields over time, so all allow additional properties.
    override({ zodSchema, jsonSchema: part }) {
      if (part.additionalProperties === false) delete part.additionalProperties;
      // In a response, such a bound says no more than "integer". In a request, larger numbers are rejected.
      if (use === "output" && part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
      if (use === "output" && part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
      const name = nameOf(zodSchema);
      if (name === undefined || name === self) return;
      for (const key of Object.keys(part)) delete (part as Json)[key];
      part.$ref = schemaReference(name);
    },
  });
  const { $schema: _dialect, "~standard": _standard, $defs = {}, ...rest } = json as Json;
  const inlined = inlineDefinitions(rest, $defs as Json, self) as Json;
  return use === "output" ? inlined : requestSchema(inlined, use);
}

/** Adds the rules for requests over HTTP that the validating schema does not express. */
function requestSchema(schema: Json, use: "query" | "body"): Json {
  const { [requiredOverHttp]: requiredHere, ...rest } = schema;
  if (!("properties" in rest)) return rest;
  const added = stringsOf(requiredHere);
  const required = [...stringsOf(rest["required"]), ...added];
  const fields = Object.entries(properties(rest))
    .filter(([, field]) => field[localOnly] !== true)
    .map(([name, field]) => {
      const inner = requestSchema(field, use);
      if (required.includes(name)) return [name, added.includes(name) ? { minLength: 1, ...inner } : inner];
      return [name, use === "body" ? allowNull(inner) : inner];
    });
  return { ...rest, properties: Object.fromEntries(fields), ...(required.length > 0 && { required }) };
}

/** In a body, `null` stands for an absent field. */
function allowNull(schema: Json): Json {
  const { type, enum: values } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  return { ...schema, type: [type, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Inlines local definitions, and lets a recursive schema refer to itself by its name in the document. */
function inlineDefinitions(value: unknown, definitions: Json, self: string | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => inlineDefinitions(item, definitions, self));
  const { $ref } = value as Json;
  if ($ref === "#" && self !== undefined) return { $ref: schemaReference(self) };
  const defined = typeof $ref === "string" ? definitions[$ref.replace(/^#\/\$defs\//, "")] : undefined;
  if (defined !== undefined) return defined;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, inlineDefinitions(child, definitions, self)]),
  );
}

function properties(schema: Json): Record<string, Json> {
  return (schema["properties"] ?? {}) as Record<string, Json>;
}
