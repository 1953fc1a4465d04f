/** The licence of an instance, as its store keeps it, judged by what time it is and how many members there are. */
import { ServiceError } from "#base/error";
import type { License, LicensedFeature } from "#contract/organisation";
import type { NewAuditRecord } from "#model/audit";
import type { Organisation } from "#model/organisation";
import type { Clock } from "#platform/clock";
import type { RecordOf, Store } from "#store/store";
import {
  type LicenseClaims,
  type LicenseState,
  type MakerKey,
  type ReadLicense,
  readLicense,
} from "./license";

export interface LicenseOptions {
  readonly store: () => Promise<Store>;
  readonly clock: Clock;
  /** Makers whose licences count. */
  readonly makers: readonly MakerKey[];
}

/** A clock may be put right by as much as this. */
const toleranceMs = 24 * 60 * 60 * 1000;
/** How often the time is noted, at most. */
const noteMs = 60 * 60 * 1000;

/** What depends on time and members has words of its own. */
type Judged = "valid" | "expired" | "clockSetBack" | "seatsExceeded";

const judgements: Readonly<Record<Exclude<LicenseState, Judged>, string>> = {
  missing: 'This needs a licence, and there is none. "trawl license install FILE" takes one.',
  malformed: "The licence cannot be read: it is not what was issued.",
  wrongAlgorithm: "The licence is signed by an algorithm that does not count.",
  unknownKey: "The licence is signed by somebody whose licences do not count here.",
  tampered: "The licence is not as it was issued: its signature does not fit.",
};

export class InstalledLicense {
  readonly #options: LicenseOptions;
  /** The one that was read last: a signature is checked once. */
  #last: { readonly token: string; readonly read: ReadLicense } | undefined;

  constructor(options: LicenseOptions) {
    this.#options = options;
  }

  async state(): Promise<License> {
    const { clock } = this.#options;
    const store = await this.#options.store();
    // At once, although only a licence with seats needs both: a database may be far away.
    const [{ license: token, latestTime }, count] = await Promise.all([
      store.organisation.get(),
      store.members.count(),
    ]);
    if (token === undefined) return judged("missing");
    const read = this.#read(token);
    if (read.state !== "valid") return judged(read.state);
    const { id, organization, seats, features, issuedAt, expiresAt } = read.claims;
    const said = { id, organization, features, expiresAt, ...(seats === undefined ? {} : { seats }) };
    const now = clock.now();
    if (now < Date.parse(issuedAt) - toleranceMs) {
      const message = `The clock of this computer was set back: it shows ${day(now)}, and the licence was issued on ${day(Date.parse(issuedAt))}. Set it right.`;
      return { ...said, state: "clockSetBack", message };
    }
    if (now < latestTime - toleranceMs) {
      const message = `The clock of this computer was set back: it shows ${day(now)}, and it was ${day(latestTime)} before. If it is right now, "trawl license reset-clock" says so; else set it right.`;
      return { ...said, state: "clockSetBack", message };
    }
    if (now >= latestTime + noteMs) await store.organisation.noteTime(now);
    // A clock that lags brings nothing back to life.
    if (Math.max(now, latestTime) >= Date.parse(expiresAt)) {
      return { ...said, state: "expired", message: `The licence has expired on ${expiresAt}.` };
    }
    if (seats !== undefined && count > seats) {
      const message = `The licence is for ${seats} members, and there are ${count}. "trawl members remove" removes one.`;
      return { ...said, state: "seatsExceeded", message };
    }
    return { ...said, state: "valid", message: `Licensed to ${organization} until ${expiresAt}.` };
  }

  async opens(feature: LicensedFeature): Promise<boolean> {
    const { state, features = [] } = await this.state();
    return state === "valid" && features.includes(feature);
  }

  /** Throws LICENSE_REQUIRED with the reason. */
  async require(feature: LicensedFeature): Promise<void> {
    const { state, message, features = [] } = await this.state();
    if (state !== "valid") throw new ServiceError("LICENSE_REQUIRED", message);
    if (features.includes(feature)) return;
    throw new ServiceError(
      "LICENSE_REQUIRED",
      `This needs a licence for "${feature}", and this one is for ${features.join(", ") || "nothing"}.`,
    );
  }

  /**
   * Takes a licence in place of the one before.
   *
   * Throws INVALID_REQUEST_BODY for what no maker that counts here has signed; the one before stays then.
   */
  async install(token: string, record?: (license: LicenseClaims) => NewAuditRecord): Promise<License> {
    const text = token.trim();
    const read = readLicense(text, this.#options.makers);
    if (read.state !== "valid") throw new ServiceError("INVALID_REQUEST_BODY", judgements[read.state]);
    const store = await this.#options.store();
    await store.organisation.setLicense(text, record && (() => record(read.claims)));
    return await this.state();
  }

  /** Forgets every later time than the present one: the clock was ahead when that was noted. */
  async resetClock(record?: RecordOf<Organisation>): Promise<License> {
    const { organisation } = await this.#options.store();
    const now = this.#options.clock.now();
    if (now < (await organisation.get()).latestTime) await organisation.resetTime(now, record);
    return await this.state();
  }

  #read(token: string): ReadLicense {
    if (this.#last?.token !== token) {
      this.#last = { token, read: readLicense(token, this.#options.makers) };
    }
    return this.#last.read;
  }
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function judged(state: keyof typeof judgements): License {
  return { state, message: judgements[state] };
}
