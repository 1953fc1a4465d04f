/**
 * The wire format of calls between processes of one user, over the local socket: `POST` to `callPath(name)` with an
 * `Envelope` as JSON.
 *
 * It carries every operation, including those without `http`. Paged operations respond with `{items, total}`. If
 * `events` is true, the response is a stream of server-sent events: `event` for each event of the operation, then
 * `done` with the response or `error` with an error object. Closing the connection cancels the call.
 */
import * as z from "zod";
import { RepositoryRules } from "./access";
import type { OperationName } from "./operations";

export function callPath<Name extends OperationName>(name: Name): `/call/${Name}` {
  return `/call/${name}`;
}

/** The path as a route pattern: `:name` is the name of the operation. */
export const callPathPattern = "/call/:name";

export const Envelope = z.object({
  request: z.unknown().describe("The request of the operation."),
  events: z.boolean().default(false).describe("Whether to stream events."),
  credentials: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("none") }),
      z.object({ kind: z.literal("bearer"), token: z.string() }),
      z.object({ kind: z.literal("apiKey"), token: z.string() }),
      z.object({ kind: z.literal("session"), token: z.string() }),
    ])
    .exactOptional()
    .describe("Credentials of the original caller; if absent, the local user."),
  anonymous: z
    .enum(["on", "off", "untilKeys"])
    .exactOptional()
    .describe("Anonymous access rule of the listener that received the call."),
  repositoryRules: RepositoryRules.exactOptional().describe(
    "Rules of the listener that received the call; if absent, those of the leader.",
  ),
  address: z.string().exactOptional().describe("Network address of the original caller."),
  source: z.string().exactOptional().describe("The calling program, as it names itself."),
  baseUrl: z.string().exactOptional().describe("Base URL of links, if the caller has its own."),
  client: z.string().exactOptional().describe("Identifies the caller: the same for all of its calls."),
  waitedMs: z
    .number()
    .min(0)
    .exactOptional()
    .describe("Milliseconds that the request has already waited elsewhere; its time limit includes them."),
  unsaved: z
    .array(z.object({ path: z.string(), text: z.string(), version: z.string() }))
    .default([])
    .describe("Unsaved documents of the caller's editor, by absolute path."),
  folders: z
    .array(z.string())
    .default([])
    .describe("Absolute paths of the folders that the caller has open."),
});
export type Envelope = z.input<typeof Envelope>;
