/**
 * How a call travels between processes of one person, over the local socket: `POST` to `callPath(name)` with an
 * `Envelope` as JSON.
 *
 * Every row is served this way, also those without `http`; a paged row answers with the pair. Where `events` is true
 * the answer is a stream of server-sent events: `event` for each event of the row, then `done` with the answer or
 * `error` with an error object. A call is cancelled by closing its connection.
 */
import * as z from "zod";
import type { OperationName } from "./operations";

export function callPath<Name extends OperationName>(name: Name): `/call/${Name}` {
  return `/call/${name}`;
}

/** The same for a router: `:name` stands for the row. */
export const callPathPattern = "/call/:name";

export const Envelope = z.object({
  request: z.unknown().describe("The request of the row."),
  events: z.boolean().default(false).describe("Whether events are wanted."),
  credentials: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("none") }),
      z.object({ kind: z.literal("bearer"), token: z.string() }),
      z.object({ kind: z.literal("apiKey"), token: z.string() }),
      z.object({ kind: z.literal("session"), token: z.string() }),
    ])
    .exactOptional()
    .describe("What the caller's own caller showed; absent: the person's own call."),
  anonymous: z
    .enum(["on", "off", "untilKeys"])
    .exactOptional()
    .describe("Of the listener through which it came."),
  address: z.string().exactOptional().describe("Its network address."),
  source: z.string().exactOptional().describe("Which program calls, in its own words."),
  baseUrl: z.string().exactOptional().describe("Address for links, where the caller has one of its own."),
  client: z.string().exactOptional().describe("The same for all calls of one caller."),
  unsaved: z
    .array(z.object({ path: z.string(), text: z.string(), version: z.string() }))
    .default([])
    .describe("Documents as they stand in the caller's editor, by absolute path."),
  folders: z
    .array(z.string())
    .default([])
    .describe("Absolute paths of the folders that the caller has open."),
});
export type Envelope = z.input<typeof Envelope>;
