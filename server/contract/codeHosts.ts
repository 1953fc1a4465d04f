/** Operations on connections to code hosts, for the local user. */
import * as z from "zod";
import type { Operation } from "./operation";
import { NoParameters } from "./system";

const ConnectionRequest = z
  .object({ name: z.string().min(1).describe("Name of the connection in the configuration.") })
  .describe("A connection to a code host.");

const Problem = z.object({
  scope: z
    .string()
    .optional()
    .describe("What could not be listed completely; absent for the whole connection."),
  message: z.string(),
});

const unconfirmed = z
  .int()
  .describe("Number of repositories that disappeared at once, and are kept until a person confirms it.");

export const CodeHostStatus = z
  .object({
    name: z.string(),
    type: z.string(),
    url: z.string().describe("Address of the host."),
    listedAt: z.string().optional().describe("When the host was last listed (ISO 8601)."),
    nextListAt: z.string().optional().describe("When it is listed next (ISO 8601)."),
    isListing: z.boolean(),
    problems: z.array(Problem),
    unconfirmed,
    repositories: z.array(
      z.object({
        path: z.string().describe("Path on the host."),
        state: z.enum(["waiting", "mirrored", "failing", "gone", "hidden"]),
        reason: z.string().optional().describe("Why it fails, is gone or is hidden."),
        fetchedAt: z.string().optional().describe("When it was last fetched (ISO 8601)."),
      }),
    ),
  })
  .describe("The state of a connection.");
export type CodeHostStatus = z.output<typeof CodeHostStatus>;

const Reasons = z.array(z.object({ path: z.string(), reason: z.string() }));

export const CodeHostPlan = z
  .object({
    account: z.string().optional().describe("The account that the host knows; absent without credentials."),
    scopes: z.array(z.object({ scope: z.string(), outcome: z.enum(["complete", "partial", "failed"]) })),
    listed: z.int().describe("Number of repositories that the host lists."),
    requests: z.int().describe("Number of requests to the host."),
    problems: z.array(Problem),
    added: z.array(z.string()).describe("Paths of new repositories."),
    renamed: z.array(z.object({ from: z.string(), to: z.string() })),
    excluded: Reasons.describe("Repositories that the configuration excludes."),
    removed: Reasons,
    kept: z.int().describe("Number of repositories that are already mirrored, and remain."),
    unconfirmed,
  })
  .describe("What a listing of a connection changes.");
export type CodeHostPlan = z.output<typeof CodeHostPlan>;

const ConfirmedCount = z.object({ confirmed: z.int() }).describe("The number of confirmed repositories.");

export const codeHostOperations = {
  codeHosts: {
    tag: "Repositories",
    summary: "Reports the state of the connections to code hosts.",
    access: "owner",
    errors: [],
    request: NoParameters,
    response: z.array(CodeHostStatus).describe("All connections, by name."),
  },
  planCodeHost: {
    tag: "Repositories",
    summary: "Lists a code host and reports what would be added and removed.",
    access: "owner",
    errors: ["NOT_FOUND"],
    request: ConnectionRequest,
    response: CodeHostPlan,
  },
  syncCodeHost: {
    tag: "Repositories",
    summary: "Lists a code host, and adds and removes repositories.",
    access: "owner",
    errors: ["NOT_FOUND"],
    request: ConnectionRequest,
    response: CodeHostPlan,
  },
  confirmCodeHost: {
    tag: "Repositories",
    summary: "Confirms that repositories which disappeared at once may be removed.",
    access: "owner",
    errors: ["NOT_FOUND"],
    request: ConnectionRequest,
    response: ConfirmedCount,
  },
} as const satisfies Readonly<Record<string, Operation>>;
