/** When a mirror is fetched next: often if it has changed lately, rarely if it has not. */

export interface PollLimits {
  readonly fetchMinMs: number;
  readonly fetchMaxMs: number;
}

const jitterShare = 0.2;
const maxBackoffMs = 86_400_000;

/**
 * Returns the delay until the next fetch: half the time since the last change, within the limits, or after `failures`
 * in a row twice as long each time. `random` is from 0 to 1.
 */
export function pollDelay(
  { fetchMinMs, fetchMaxMs }: PollLimits,
  { ageMs, failures }: { readonly ageMs: number; readonly failures: number },
  random: number,
): number {
  const regular = Math.max(fetchMinMs, Math.min(ageMs / 2, fetchMaxMs));
  const delay = failures === 0 ? regular : Math.min(fetchMinMs * 2 ** Math.min(failures, 40), maxBackoffMs);
  return delay * (1 - jitterShare + 2 * jitterShare * random);
}
