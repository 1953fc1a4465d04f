/** Operations on connections to code hosts. */
import * as z from "zod";
import { Done } from "./editor";
import type { Operation } from "./operation";
import { pageFields } from "./position";
import { NoParameters } from "./system";

const name = z.string().min(1).describe("Name of the connection in the configuration.");

const ConnectionRequest = z.object({ name }).describe("A connection to a code host.");

const Problem = z
  .object({
    scope: z
      .string()
      .optional()
      .describe(
        "What it concerns, such as an organization or a repository; absent for the whole connection.",
      ),
    message: z.string().describe("What happened, and what to do."),
  })
  .describe("Why something is unknown.");
const problems = z.array(Problem).describe("Why something could not be listed; empty if all was.");

const state = z
  .enum(["waiting", "mirrored", "failing", "gone", "hidden"])
  .describe(
    "`waiting`: not cloned yet. `failing`: the last clone or fetch failed. `gone`: the host says that it does not exist. `hidden`: no longer included, and deleted later.",
  );
export type CodeHostRepositoryState = z.output<typeof state>;

export const CodeHostRepository = z
  .object({
    path: z.string().describe("Path on the host."),
    repository: z.string().describe("Name of the repository in responses, if it is searched."),
    state,
    reason: z.string().optional().describe("Why it fails, is gone or is hidden."),
    fetchedAt: z.string().optional().describe("When it was last fetched (ISO 8601)."),
  })
  .describe("A repository of a code host.");
export type CodeHostRepository = z.output<typeof CodeHostRepository>;

const ConnectionSettings = z
  .object({
    name,
    settings: z.record(z.string(), z.unknown()).describe("Settings, as in the configuration file."),
  })
  .describe("A connection to a code host, with its settings.");

const RepositoriesRequest = z
  .object({
    name,
    state: state.optional().describe("Only repositories in this state."),
    ...pageFields,
  })
  .describe("Which repositories of a connection to list.");

/** At most this many repositories that need attention are part of a status. */
export const maxStatusRepositories = 100;

const unconfirmed = z
  .int()
  .describe("Number of repositories that disappeared at once, and are kept until a person confirms it.");

const StateCounts = z
  .object({
    waiting: z.int().describe("Not cloned yet."),
    mirrored: z.int().describe("Cloned."),
    failing: z.int().describe("The last clone or fetch failed."),
    gone: z.int().describe("The host says that they do not exist."),
    hidden: z.int().describe("No longer included."),
  })
  .describe("Number of repositories by state.");

const SignIn = z
  .object({
    token: z.string().describe("Name of the token in the editor."),
    isNeeded: z
      .boolean()
      .describe("Whether no editor that is connected has the token, or the host refuses it."),
  })
  .describe("How to sign in, if an editor keeps the token; only for the local user.");

export const CodeHostStatus = z
  .object({
    name: z.string().describe("Name of the connection in the configuration."),
    type: z.string().describe("Type of the host."),
    url: z.string().describe("Address of the host."),
    file: z
      .string()
      .optional()
      .describe("Absolute path of the file that configures it; only for the local user."),
    listedAt: z.string().optional().describe("When the host was last listed (ISO 8601)."),
    nextListAt: z.string().optional().describe("When it is listed next (ISO 8601)."),
    isListing: z.boolean().describe("Whether the host is being listed now."),
    signIn: SignIn.optional(),
    problems,
    rightsProblems: z
      .array(Problem)
      .describe(
        `At most ${maxStatusRepositories} reasons why it is outdated or unknown who may read a repository, where the host decides it; empty if nothing is wrong.`,
      ),
    unconfirmed,
    unconfirmedPaths: z.array(z.string()).describe(`Paths of at most ${maxStatusRepositories} of these.`),
    counts: StateCounts,
    repositories: z
      .array(CodeHostRepository)
      .describe(
        `At most ${maxStatusRepositories} repositories that are failing, gone or hidden, in this order.`,
      ),
  })
  .describe("The state of a connection.");
export type CodeHostStatus = z.output<typeof CodeHostStatus>;

const Reasons = z.array(
  z
    .object({
      path: z.string().describe("Path on the host."),
      reason: z.string().describe("Why, in words."),
    })
    .describe("A repository, and the reason."),
);

export const CodeHostPlan = z
  .object({
    account: z.string().optional().describe("The account that the host knows; absent without credentials."),
    scopes: z
      .array(
        z
          .object({
            scope: z.string().describe("What was listed, such as an organization."),
            outcome: z.enum(["complete", "partial", "failed"]).describe("Whether all of it was listed."),
          })
          .describe("A scope of the connection."),
      )
      .describe("What was listed."),
    listed: z.int().describe("Number of repositories that the host lists."),
    requests: z.int().describe("Number of requests to the host."),
    problems,
    added: z.array(z.string()).describe("Paths of new repositories."),
    renamed: z
      .array(
        z
          .object({
            from: z.string().describe("The previous path."),
            to: z.string().describe("The new path."),
          })
          .describe("Two paths of a repository."),
      )
      .describe("Repositories that the host has renamed or moved."),
    excluded: Reasons.describe("Repositories that the configuration excludes."),
    removed: Reasons.describe("Repositories that are no longer mirrored."),
    kept: z.int().describe("Number of repositories that are already mirrored, and remain."),
    unconfirmed,
  })
  .describe("What a listing of a connection changes.");
export type CodeHostPlan = z.output<typeof CodeHostPlan>;

export const CodeHostSync = z
  .object({
    ...CodeHostPlan.shape,
    isListing: z
      .boolean()
      .describe(
        "Whether the host is still being listed, because that takes longer than a request may. The other fields are then empty, and the result appears in the state of the connection.",
      ),
  })
  .describe("What a listing of a connection has changed.");
export type CodeHostSync = z.output<typeof CodeHostSync>;

export const ConfirmedCount = z
  .object({ confirmed: z.int().describe("Number of repositories that may now be removed.") })
  .describe("The confirmed repositories.");

const WebhookRequest = z
  .object({
    connection: z.string().describe("Name of the connection that it is for."),
    headers: z.record(z.string(), z.string()).describe("Headers, by lowercase name."),
    repository: z.string().optional().describe("The path of a repository, if the URL names it."),
    secret: z.string().optional().describe("The secret, if the URL contains it."),
    body: z.string().describe("The body as it arrived, in Base64."),
  })
  .describe("A webhook of a code host.");

const HeldTokens = z
  .object({
    tokens: z
      .array(
        z
          .object({
            name: z.string().min(1).describe("The name by which connections refer to it."),
            origin: z.string().describe("The origin of the only host that it is sent to."),
            token: z.string().describe("The token itself."),
          })
          .describe("A token."),
      )
      .describe("The tokens of the editor."),
  })
  .describe("The tokens of an editor.");

export const codeHostOperations = {
  codeHosts: {
    http: { method: "GET", path: "/api/hosts" },
    tag: "Repositories",
    summary: "Reports the state of the connections to code hosts.",
    access: "owner",
    errors: [],
    request: NoParameters,
    response: z.array(CodeHostStatus).describe("All connections, by name."),
  },
  codeHostRepositories: {
    http: { method: "GET", path: "/api/hosts/repositories" },
    tag: "Repositories",
    summary: "Lists the repositories of a connection to a code host, by path.",
    access: "owner",
    errors: ["INVALID_QUERY_PARAMS", "NOT_FOUND"],
    request: RepositoriesRequest,
    response: z.array(CodeHostRepository).describe("One page of the list."),
    isPaged: true,
  },
  planCodeHost: {
    http: { method: "POST", path: "/api/hosts/{name}/plan" },
    tag: "Repositories",
    summary: "Lists a code host and reports what would be added and removed.",
    access: "owner",
    errors: ["NOT_FOUND"],
    request: ConnectionRequest,
    response: CodeHostPlan,
    isLong: true,
  },
  syncCodeHost: {
    http: { method: "POST", path: "/api/hosts/{name}/sync" },
    tag: "Repositories",
    summary: "Lists a code host, and adds and removes repositories.",
    access: "owner",
    changes: true,
    audit: { action: "code_host.synced", target: "org", details: ["name"] },
    errors: ["NOT_FOUND"],
    request: ConnectionRequest,
    response: CodeHostSync,
    isLong: true,
    isPartialWhenLate: true,
  },
  confirmCodeHost: {
    http: { method: "POST", path: "/api/hosts/{name}/confirm" },
    tag: "Repositories",
    summary: "Confirms that repositories which disappeared at once may be removed.",
    access: "owner",
    changes: true,
    audit: { action: "code_host.removals_confirmed", target: "org", details: ["name"] },
    errors: ["NOT_FOUND"],
    request: ConnectionRequest,
    response: ConfirmedCount,
  },
  checkCodeHost: {
    tag: "Repositories",
    summary: "Lists a code host that is not configured yet, and reports what would be mirrored.",
    access: "owner",
    errors: ["INVALID_REQUEST_BODY"],
    request: ConnectionSettings,
    response: CodeHostPlan,
  },
  addCodeHost: {
    tag: "Repositories",
    summary: "Adds a connection to a code host, and starts mirroring it.",
    access: "owner",
    changes: true,
    errors: ["INVALID_REQUEST_BODY"],
    request: ConnectionSettings,
    response: Done,
    resend: "never",
  },
  removeCodeHost: {
    tag: "Repositories",
    summary: "Removes a connection to a code host that was added in an editor.",
    access: "owner",
    changes: true,
    errors: ["INVALID_REQUEST_BODY", "NOT_FOUND"],
    request: ConnectionRequest,
    response: Done,
    resend: "never",
  },
  holdCodeHostTokens: {
    tag: "Repositories",
    summary: "Keeps the tokens of an editor in memory until the call is canceled.",
    access: "owner",
    errors: ["INVALID_REQUEST_BODY"],
    request: HeldTokens,
    response: Done,
    event: z.object({ held: z.int().describe("Number of tokens.") }).describe("The tokens can be used."),
    resend: "always",
  },
  reloadCodeHosts: {
    tag: "Repositories",
    summary: "Reads the connections to code hosts again and applies them.",
    access: "owner",
    changes: true,
    errors: ["INVALID_REQUEST_BODY"],
    request: NoParameters,
    response: Done,
  },
  receiveWebhook: {
    tag: "Repositories",
    summary: "Fetches or lists what a code host says has changed.",
    // Its sender proves itself to the connection, not to this instance.
    access: "open",
    errors: [],
    request: WebhookRequest,
    response: z.object({}).describe("Nothing."),
    resend: "always",
  },
} as const satisfies Readonly<Record<string, Operation>>;
