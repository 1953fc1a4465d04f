/** `catalogue.json`, its text and its meaning. */
import { ServiceError } from "#base/error";
import { codeHostTypes, type Repository } from "#model/repository";

/** What a repository's index was made from; equal lines mean that there is nothing to do. */
export interface IndexedState {
  /** Of HEAD and all refs, or of a folder's files. */
  readonly digest: string;
  /** When the building of a folder began, in milliseconds since 1970. */
  readonly since?: number;
  /** Which contents were wanted; absent where it was what is usual. */
  readonly content?: string;
}

export interface CatalogueEntry {
  /** The name that its remote's URL asks for, `""` without one; the name it has may be another. */
  readonly preferredName: string;
  readonly repository: Repository;
  readonly indexed?: IndexedState;
}

export interface CatalogueContent {
  readonly nextId: number;
  readonly paths: readonly string[];
  /** Places below them that somebody has removed. */
  readonly excluded: readonly string[];
  readonly entries: readonly CatalogueEntry[];
}

/** The file is not what was written; what is in it counts no more. */
export class CatalogueDamaged extends Error {}

const formatVersion = 1;

export function printCatalogue({ nextId, paths, excluded, entries }: CatalogueContent): Uint8Array {
  const lines = entries.map(printEntry).join(",\n");
  const places = `"paths":${JSON.stringify(paths)},"excluded":${JSON.stringify(excluded)}`;
  const head = `"format":${formatVersion},"nextId":${nextId},${places}`;
  return Buffer.from(`{${head},"repositories":[\n${lines}\n]}\n`);
}

/** Most entries are the same as the last time: an entry is replaced, never changed. */
const printed = new WeakMap<CatalogueEntry, string>();

function printEntry(entry: CatalogueEntry): string {
  const known = printed.get(entry) ?? JSON.stringify(entry);
  printed.set(entry, known);
  return known;
}

/** Throws `CatalogueDamaged`, and STORAGE_FAILED for a format that we do not know yet. */
export function parseCatalogue(text: string, file: string): CatalogueContent {
  const whole = record(parseJson(text), "the file");
  const format = whole["format"];
  if (typeof format === "number" && format > formatVersion) {
    throw new ServiceError(
      "STORAGE_FAILED",
      `${file} was written by a newer version (format ${format}; this version knows ${formatVersion}). Use that version, or another data directory.`,
    );
  }
  if (format !== formatVersion) throw new CatalogueDamaged("format is missing");
  const entries = array(whole["repositories"], "repositories").map(parseEntry);
  const ids = new Set(entries.map(({ repository }) => repository.id));
  const names = new Set(entries.map(({ repository }) => repository.name));
  if (ids.size !== entries.length || names.size !== entries.length)
    throw new CatalogueDamaged("an id or name occurs twice");
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

function parseEntry(value: unknown): CatalogueEntry {
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

/** Work that was under way when the file was written is to be done again. */
function parseRepository(fields: Record<string, unknown>): Repository {
  for (const name of ["name", "path"]) string(fields[name], name);
  for (const name of ["id", "documentCount", "skippedCount", "contentBytes", "indexBytes"])
    wholeNumber(fields[name], name);
  for (const name of ["displayName", "gitDir", "hostUrl", "defaultRevision", "lastError"]) {
    if (fields[name] !== undefined) string(fields[name], name);
  }
  for (const name of ["isFork", "isArchived", "isPublic"]) {
    if (typeof fields[name] !== "boolean") throw new CatalogueDamaged(`${name} is no boolean`);
  }
  oneOf(fields["kind"], ["clone", "bare", "folder"], "kind");
  oneOf(fields["codeHostType"], codeHostTypes, "codeHostType");
  oneOf(fields["state"], ["queued", "cloning", "indexing", "ready", "stale", "failed"], "state");
  for (const revision of array(fields["revisions"], "revisions")) {
    const { name, commit } = record(revision, "a revision");
    string(name, "revision name");
    string(commit, "revision commit");
  }
  const { progress: _, ...rest } = fields as unknown as Repository;
  const underWay = rest.state === "indexing" || rest.state === "cloning";
  return underWay ? { ...rest, state: "queued" } : rest;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CatalogueDamaged("it is no JSON");
  }
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new CatalogueDamaged(`${what} is no object`);
}

function array(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new CatalogueDamaged(`${what} is no array`);
}

function string(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new CatalogueDamaged(`${what} is no string`);
}

function wholeNumber(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new CatalogueDamaged(`${what} is no number`);
}

function oneOf(value: unknown, known: readonly string[], what: string): void {
  if (!known.includes(String(value))) throw new CatalogueDamaged(`${what} is ${JSON.stringify(value)}`);
}
