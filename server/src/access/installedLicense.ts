/**
 * The installed license. Its signature is checked once; its validity depends on the current time and on the number of
 * members.
 */
import { ServiceError } from "#base/error";
import type { License, LicensedFeature } from "#contract/organization";
import type { NewAuditRecord } from "#model/audit";
import type { Organization } from "#model/organization";
import type { Clock } from "#platform/clock";
import type { AuditRecordFor, Store } from "#store/store";
import {
  type IssuerKey,
  type LicenseClaims,
  type LicenseState,
  type VerifiedLicense,
  verifyLicense,
} from "./license";

export interface InstalledLicenseOptions {
  readonly store: () => Promise<Store>;
  readonly clock: Clock;
  /** Public keys of the issuers whose licenses are accepted. */
  readonly issuers: readonly IssuerKey[];
}

/** How far a clock may be set back without invalidating the license. */
const toleranceMs = 24 * 60 * 60 * 1000;
/** The latest time is stored at most this often. */
const timeRecordIntervalMs = 60 * 60 * 1000;

/** States that depend on the time and on the members. Their messages are built in `state`. */
type DynamicState = "valid" | "expired" | "clockSetBack" | "seatsExceeded";

const messages: Readonly<Record<Exclude<LicenseState, DynamicState>, string>> = {
  missing: 'No license is installed. Run "trawl license install FILE" to install one.',
  malformed: "The license cannot be read. Install the file as it was issued.",
  wrongAlgorithm: "The license is signed with an algorithm that is not supported.",
  unknownKey: "The license was signed by an issuer that this instance does not trust.",
  tampered: "The license was changed after it was issued: its signature does not match.",
};

export class InstalledLicense {
  readonly #options: InstalledLicenseOptions;
  /** The last license whose signature was checked. */
  #last: { readonly token: string; readonly read: VerifiedLicense } | undefined;

  constructor(options: InstalledLicenseOptions) {
    this.#options = options;
  }

  /** Returns the license with its current state, and a message that explains it. */
  async state(): Promise<License> {
    const { clock } = this.#options;
    const store = await this.#options.store();
    // In parallel, although only a license with seats needs the count: a round trip to the database may be slow.
    const [{ license: token, latestTime }, count] = await Promise.all([
      store.organization.get(),
      store.members.count(),
    ]);
    if (token === undefined) return invalidLicense("missing");
    const verified = this.#verify(token);
    if (verified.state !== "valid") return invalidLicense(verified.state);
    const { id, organization, seats, features, issuedAt, expiresAt } = verified.claims;
    const fields = { id, organization, features, expiresAt, ...(seats === undefined ? {} : { seats }) };
    const now = clock.now();
    if (now < Date.parse(issuedAt) - toleranceMs) {
      const message = `The clock of this computer is wrong: it shows ${formatDay(now)}, but the license was issued on ${formatDay(Date.parse(issuedAt))}. Correct the clock.`;
      return { ...fields, state: "clockSetBack", message };
    }
    if (now < latestTime - toleranceMs) {
      const message = `The clock of this computer was set back: it shows ${formatDay(now)}, but has shown ${formatDay(latestTime)} before. If it is correct now, run "trawl license reset-clock"; otherwise, correct the clock.`;
      return { ...fields, state: "clockSetBack", message };
    }
    if (now >= latestTime + timeRecordIntervalMs) await store.organization.advanceLatestTime(now);
    // A clock that was set back does not revive an expired license.
    if (Math.max(now, latestTime) >= Date.parse(expiresAt)) {
      return { ...fields, state: "expired", message: `The license expired on ${expiresAt}.` };
    }
    if (seats !== undefined && count > seats) {
      const message = `The license has ${seats} ${seats === 1 ? "seat" : "seats"}, but there are ${count} members. Remove members with "trawl members remove".`;
      return { ...fields, state: "seatsExceeded", message };
    }
    return { ...fields, state: "valid", message: `Licensed to ${organization} until ${expiresAt}.` };
  }

  /** Returns the number of members that the license allows; `undefined` for any number, as without a valid license. */
  async seats(): Promise<number | undefined> {
    const { state, seats } = await this.state();
    return state === "valid" || state === "seatsExceeded" ? seats : undefined;
  }

  async allows(feature: LicensedFeature): Promise<boolean> {
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
      `This requires a license for "${feature}", but the installed license is for ${features.join(", ") || "no feature"}.`,
    );
  }

  /**
   * Installs a license and replaces the previous one. The store writes the audit record that `record` builds.
   *
   * Throws INVALID_REQUEST_BODY, and keeps the previous license, if no trusted issuer has signed the new one.
   */
  async install(token: string, record?: (license: LicenseClaims) => NewAuditRecord): Promise<License> {
    const text = token.trim();
    const verified = verifyLicense(text, this.#options.issuers);
    if (verified.state !== "valid") throw new ServiceError("INVALID_REQUEST_BODY", messages[verified.state]);
    const store = await this.#options.store();
    await store.organization.setLicense(text, record && (() => record(verified.claims)));
    return await this.state();
  }

  /** Resets the latest time to the present, for a clock that was ahead when it was stored. */
  async resetClock(record?: AuditRecordFor<Organization>): Promise<License> {
    const { organization } = await this.#options.store();
    const now = this.#options.clock.now();
    if (now < (await organization.get()).latestTime) await organization.resetLatestTime(now, record);
    return await this.state();
  }

  #verify(token: string): VerifiedLicense {
    if (this.#last?.token !== token) {
      this.#last = { token, read: verifyLicense(token, this.#options.issuers) };
    }
    return this.#last.read;
  }
}

function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function invalidLicense(state: keyof typeof messages): License {
  return { state, message: messages[state] };
}
