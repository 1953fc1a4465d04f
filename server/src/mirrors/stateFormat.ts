/** Prints and parses `mirrors.json`, and the descriptions in the folders of mirrors. */
import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { ServiceError } from "#base/error";
import { codeHostTypes } from "#model/repository";
import type { ConnectionRecord, MirrorDescription, MirrorRecord } from "./mirrorRecord";

export interface StateContent {
  readonly nextNumber: number;
  /** Random, so that the digests of credentials in different files cannot be compared. */
  readonly salt: string;
  readonly connections: Readonly<Record<string, ConnectionRecord>>;
  readonly mirrors: readonly MirrorRecord[];
}

const formatVersion = 1;

export function printState(state: StateContent): Uint8Array {
  const text = JSON.stringify(state);
  return Buffer.from(`{"format":${formatVersion},"checksum":"${checksum(text)}","state":${text}}\n`);
}

/** Returns `undefined` for a damaged file. Throws STORAGE_FAILED for a newer format. */
export function parseState(text: string, file: string): StateContent | undefined {
  const [, format, sum, stateText = ""] =
    /^\{"format":(\d+),"checksum":"(\w+)","state":(.*)\}\n$/s.exec(text) ?? [];
  if (Number(format) > formatVersion)
    throw new ServiceError("STORAGE_FAILED", `${file} was written by a newer version. Use that version.`);
  if (sum !== checksum(stateText)) return undefined;
  const parsed = StoredState.safeParse(parseJson(stateText));
  if (!parsed.success) return undefined;
  // Parsing has removed absent fields, which the inferred type cannot express.
  const content = parsed.data as StateContent;
  return parsed.data.salt === undefined ? withoutDigests(content) : content;
}

/** Forgets the digests of a file without a salt. Confirmations that depend on them are collected again. */
function withoutDigests(content: StateContent): StateContent {
  const connections = Object.entries(content.connections).map(([name, { fingerprint: _, ...rest }]) => [
    name,
    rest,
  ]);
  const mirrors = content.mirrors.map((mirror) => {
    const holdings = Object.entries(mirror.holdings).map(([name, each]) => [name, { ...each, seenWith: "" }]);
    return { ...mirror, holdings: Object.fromEntries(holdings) };
  });
  return { ...content, salt: newSalt(), connections: Object.fromEntries(connections), mirrors };
}

export function newSalt(): string {
  return randomBytes(16).toString("hex");
}

/** Returns `undefined` for a damaged description. */
export function parseDescription(text: string): MirrorDescription | undefined {
  const parsed = StoredDescription.safeParse(parseJson(text));
  return parsed.success ? (parsed.data as MirrorDescription) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Detects changed bytes that would still be valid JSON. */
function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

const time = z.number().nonnegative();
const count = z.int().nonnegative();

/** A repository as `hosts/codeHost.ts` describes it. */
const StoredRepository = z.object({
  hostId: z.string(),
  path: z.string(),
  cloneUrl: z.string(),
  webUrl: z.optional(z.string()),
  defaultBranch: z.optional(z.string()),
  visibility: z.enum(["public", "internal", "private"]),
  isFork: z.boolean(),
  isArchived: z.boolean(),
  isDisabled: z.boolean(),
  isMirror: z.optional(z.boolean()),
  isEmpty: z.optional(z.boolean()),
  sizeBytes: z.optional(z.number()),
  stars: z.optional(z.number()),
  topics: z.optional(z.array(z.string())),
  pushedAt: z.optional(z.number()),
  fingerprint: z.optional(z.string()),
});

const StoredHolding = z.object({
  scopes: z.array(z.string()),
  seenWith: z.string(),
  unlistedSince: z.optional(time),
  lookedUpAt: z.optional(time),
  confirmations: z.optional(z.array(time)),
  released: z.optional(z.object({ at: time, reason: z.string() })),
});

const StoredFetches = z.object({
  fetchedAt: z.optional(time),
  changedAt: z.optional(time),
  hintedAt: z.optional(time),
  fingerprint: z.optional(z.string()),
  nextAt: time,
  failures: count,
  lastError: z.optional(z.string()),
  bytes: z.optional(z.number()),
});

const StoredDescription = z.object({
  type: z.enum(codeHostTypes),
  url: z.string(),
  repository: StoredRepository,
});

const StoredMirror = z.object({
  ...StoredDescription.shape,
  number: z.int().positive(),
  formerPaths: z.optional(z.array(z.string())),
  holdings: z.record(z.string(), StoredHolding),
  fetches: StoredFetches,
});

const StoredConnection = z.object({
  listedAt: z.optional(time),
  nextListAt: time,
  failures: count,
  fingerprint: z.optional(z.string()),
  problems: z.array(
    z.object({ scope: z.optional(z.string()), message: z.string(), status: z.optional(z.number()) }),
  ),
  unconfirmedIds: z.optional(z.array(z.string())),
  confirmedIds: z.optional(z.array(z.string())),
  keepDays: z.optional(z.number().nonnegative()),
  isAdded: z.optional(z.literal(true)),
  isRestricted: z.optional(z.literal(true)),
});

const StoredState = z.object({
  nextNumber: z.int().positive(),
  salt: z.optional(z.string()),
  connections: z.record(z.string(), StoredConnection),
  mirrors: z.array(StoredMirror),
});
