/** What the doctor finds. */

/** A warning does not keep Trawl from working. */
export type Outcome = "ok" | "warning" | "problem";

export interface Finding {
  readonly name: string;
  readonly outcome: Outcome;
  /** What was found. */
  readonly detail: string;
  /** What to do; absent if nothing needs to be done. */
  readonly advice?: string;
}

export type Result = Omit<Finding, "name">;

export const ok = (detail: string): Result => ({ outcome: "ok", detail });
export const warning = (detail: string, advice: string): Result => ({ outcome: "warning", detail, advice });
export const problem = (detail: string, advice: string): Result => ({ outcome: "problem", detail, advice });

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
