/** A campaign: a bounded, seeded series of attempts to break the product, with figures at the end. */
import type { Random } from "#test/support/corpus";

export interface CampaignOptions {
  /** How many cases to try; each campaign defines its cases. */
  readonly count: number;
  readonly seed: number;
  /** The seeded generator of numbers from 0 to 1. */
  readonly random: Random;
  /** An empty folder of this run, which is removed after it. */
  readonly scratch: string;
}

export interface CampaignResult {
  /** Measurements, as rows of a table. */
  readonly figures: readonly (readonly [what: string, value: string])[];
  /** Each failed case, with what is needed to repeat it; empty if the campaign passed. */
  readonly failures: readonly string[];
}

export interface Campaign {
  /** One line for the list of campaigns that describes a case. */
  readonly summary: string;
  /** The number of cases of a full run, and of the short run in continuous integration. */
  readonly fullCount: number;
  readonly shortCount: number;
  run(options: CampaignOptions): Promise<CampaignResult>;
}
