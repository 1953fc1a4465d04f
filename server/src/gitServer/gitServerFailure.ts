/** How requests to git servers end, for metrics. */
export const requestOutcomes = [
  "ok",
  "refused",
  "unreachable",
  "late",
  "rejected",
  "failed",
  "canceled",
] as const;
/**
 * - `refused`: the request itself was at fault.
 * - `unreachable`: no connection, or one that broke.
 * - `late`: no response in time.
 * - `rejected`: the secret was wrong.
 * - `failed`: a status of 500 or more, or something else than a response of a git server.
 */
export type RequestOutcome = (typeof requestOutcomes)[number];

/** A failure of a git server, which another one may not have. */
export class GitServerFailure extends Error {
  readonly outcome: RequestOutcome;
  readonly server: string;

  /** `reason` is a predicate: `cannot be reached`. */
  constructor(server: string, outcome: RequestOutcome, reason: string) {
    super(`git server ${server} ${reason}`);
    this.server = server;
    this.outcome = outcome;
  }
}
