/** Reads and writes the format of `catalogue.json`. */
import { createHash } from "node:crypto";
import { ServiceError } from "#base/error";
import { codeHostTypes, type Repository, repositoryStates } from "#model/repository";

/** What a repository's index was built from. If it is unchanged, there is nothing to do. */
export interface IndexedState {
  /** A digest of HEAD and all refs, or of a folder's files. */
  readonly digest: string;
  /** When indexing of a folder began, in milliseconds since 1970. */
  readonly since?: number;
  /** The content settings; absent if they were the defaults. */
  readonly content?: string;
}

export interface CatalogEntry {
  /** The name derived from the remote's URL, or `""` without a remote. The actual name may differ, to be unique. */
  readonly preferredName: string;
  readonly repository: Repository;
  readonly indexed?: IndexedState;
}

export interface CatalogContent {
  readonly nextId: number;
  readonly paths: readonly string[];
  /** Removed paths below one of `paths`. */
  readonly excluded: readonly string[];
  readonly entries: readonly CatalogEntry[];
}

/** Thrown if the content of the file is not what was written, so that none of it can be used. */
export class CatalogDamaged extends Error {}

const formatVersion = 1;

export function printCatalog({ nextId, paths, excluded, entries }: CatalogContent): Uint8Array {
  const lines = entries.map(printEntry).join(",\n");
  const pathFields = `"paths":${JSON.stringify(paths)},"excluded":${JSON.stringify(excluded)}`;
  const rest = `"nextId":${nextId},${pathFields},"repositories":[\n${lines}\n]}\n`;
  return Buffer.from(`{"format":${formatVersion},"checksum":"${checksum(rest)}",${rest}`);
}

/** Detects changed bytes in names and paths, which would still be valid JSON. */
function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Throws `CatalogDamaged` if the rest of the file does not match its checksum. */
function verifyChecksum(text: string): void {
  const [head, sum] = /^\{"format":\d+,"checksum":"([^"]*)",/.exec(text) ?? [];
  if (head !== undefined && sum !== checksum(text.slice(head.length)))
    throw new CatalogDamaged("the checksum is wrong");
}

/** Caches the JSON of entries, which are replaced and never modified. */
const printed = new WeakMap<CatalogEntry, string>();

function printEntry(entry: CatalogEntry): string {
  const known = printed.get(entry) ?? JSON.stringify(entry);
  printed.set(entry, known);
  return known;
}

/** Throws `CatalogDamaged`, and STORAGE_FAILED for a newer format. */
export function parseCatalog(text: string, file: string): CatalogContent {
  const whole = record(parseJson(text), "the file");
  const format = whole["format"];
  if (typeof format === "number" && format > formatVersion) {
    throw new ServiceError(
      "STORAGE_FAILED",
      `${file} was written by a newer version (format ${format}; this version supports up to ${formatVersion}). Use that version, or another data directory.`,
    );
  }
  if (format !== formatVersion) throw new CatalogDamaged("format is missing");
  verifyChecksum(text);
  const entries = array(whole["repositories"], "repositories").map(parseEntry);
  const ids = new Set(entries.map(({ repository }) => repository.id));
  const names = new Set(entries.map(({ repository }) => repository.name));
  if (ids.size !== entries.length || names.size !== entries.length)
    throw new CatalogDamaged("an id or name occurs twice");
  return {
    nextId: Math.max(
      wholeNumber(whole["nextId"], "nextId"),
      ...entries.map(({ repository }) => repository.id + 1),
    ),
    paths: strings(whole["paths"], "paths"),
    excluded: strings(whole["excluded"] ?? [], "excluded"),
    entries,
  };
}

function strings(value: unknown, what: string): string[] {
  return array(value, what).map((each) => string(each, `one of ${what}`));
}

function parseEntry(value: unknown): CatalogEntry {
  const entry = record(value, "a repository");
  const preferredName = string(entry["preferredName"], "preferredName");
  const repository = parseRepository(record(entry["repository"], "a repository"));
  if (entry["indexed"] === undefined) return { preferredName, repository };
  const { digest, since, content } = record(entry["indexed"], "indexed");
  const indexed = {
    digest: string(digest, "indexed.digest"),
    ...(since === undefined ? {} : { since: wholeNumber(since, "indexed.since") }),
    ...(content === undefined ? {} : { content: string(content, "indexed.content") }),
  };
  return { preferredName, repository, indexed };
}

/** A repository that was being indexed when the file was written is queued again. */
function parseRepository(fields: Record<string, unknown>): Repository {
  for (const name of ["name", "path"]) string(fields[name], name);
  for (const name of ["id", "documentCount", "skippedCount", "contentBytes", "indexBytes"])
    wholeNumber(fields[name], name);
  for (const name of ["addedCount", "addedBytes", "stars"]) wholeNumber(fields[name] ?? 0, name);
  for (const name of [
    "displayName",
    "gitDir",
    "hostUrl",
    "defaultRevision",
    "lastError",
    "dependencyProblem",
  ]) {
    if (fields[name] !== undefined) string(fields[name], name);
  }
  strings(fields["entries"] ?? [], "entries");
  strings(fields["formerNames"] ?? [], "formerNames");
  strings(fields["topics"] ?? [], "topics");
  for (const id of array(fields["dependencies"] ?? [], "dependencies")) wholeNumber(id, "a dependency");
  for (const name of ["isFork", "isArchived", "isPublic"]) {
    if (typeof fields[name] !== "boolean") throw new CatalogDamaged(`${name} is not a boolean`);
  }
  oneOf(fields["kind"], ["clone", "bare", "folder", "package"], "kind");
  oneOf(fields["codeHostType"], codeHostTypes, "codeHostType");
  oneOf(fields["state"], repositoryStates, "state");
  strings(fields["evictedRevisions"] ?? [], "evictedRevisions");
  if (fields["eviction"] !== undefined) {
    const { reason, maxIndexBytes, indexBytes = 0 } = record(fields["eviction"], "eviction");
    oneOf(reason, ["space", "tooLarge"], "eviction.reason");
    wholeNumber(maxIndexBytes, "eviction.maxIndexBytes");
    wholeNumber(indexBytes, "eviction.indexBytes");
  }
  for (const revision of array(fields["revisions"], "revisions")) {
    const { name, commit } = record(revision, "a revision");
    string(name, "revision name");
    string(commit, "revision commit");
  }
  const { progress: _, ...rest } = fields as unknown as Repository;
  const isUnderWay = rest.state === "indexing" || rest.state === "cloning";
  return isUnderWay ? { ...rest, state: "queued" } : rest;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CatalogDamaged("it is not valid JSON");
  }
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new CatalogDamaged(`${what} is not an object`);
}

function array(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new CatalogDamaged(`${what} is not an array`);
}

function string(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new CatalogDamaged(`${what} is not a string`);
}

function wholeNumber(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new CatalogDamaged(`${what} is not a number`);
}

function oneOf(value: unknown, known: readonly string[], what: string): void {
  if (!known.includes(String(value)))
    throw new CatalogDamaged(`${what} has the unknown value ${JSON.stringify(value)}`);
}
