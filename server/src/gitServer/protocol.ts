/**
 * The protocol between git servers and the frontends that use them: HTTP with a shared secret as bearer token.
 *
 * - `GET /repositories` lists the repositories, with an entity tag.
 * - `POST /call/<operation>` executes a history operation: a `CallEnvelope` as JSON. Paged operations respond with
 *   `{items, total}`. An error is an error object with its status. Closing the connection cancels the call.
 * - `GET /git/<repository>/info/refs` and `POST /git/<repository>/git-upload-pack` are git's smart HTTP protocol.
 */
import * as z from "zod";
import { codeHostTypes, repositoryStates } from "#model/repository";

export const repositoriesPath = "/repositories";
export const callPrefix = "/call/";

export const CallEnvelope = z.object({
  request: z.record(z.string(), z.unknown()),
  /** Base URL of links; absent if the caller has none. */
  baseUrl: z.string().max(4096).optional(),
  /** Identifies the caller: the same for all of its calls. */
  client: z.string().max(8192).optional(),
  /** How long the frontend waits for the response, in milliseconds. */
  timeLimitMs: z.number().positive(),
});
export type CallEnvelope = z.output<typeof CallEnvelope>;

const name = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[^\p{Cc}]+$/u);
const text = z.string().max(10_000);
const time = z.int().min(0);

/** A repository as a git server lists it. */
export const ListedRepository = z.object({
  name,
  formerNames: z.array(name).max(100).optional(),
  displayName: text.optional(),
  codeHostType: z.enum(codeHostTypes),
  // It becomes a part of links.
  hostUrl: text.regex(/^https?:\/\//).optional(),
  isFork: z.boolean(),
  isArchived: z.boolean(),
  isPublic: z.boolean(),
  stars: z.int().min(0).optional(),
  topics: z.array(text).max(1000).optional(),
  defaultRevision: text.optional(),
  revisions: z.array(z.object({ name: text, commit: z.string().regex(/^[0-9a-f]{40,64}$/) })),
  state: z.enum(repositoryStates),
  lastError: text.optional(),
  /** Milliseconds since 1970. */
  pushedAt: time.optional(),
  indexedAt: time.optional(),
});
export type ListedRepository = z.output<typeof ListedRepository>;

export const RepositoryList = z.object({ repositories: z.array(ListedRepository).max(1_000_000) });
