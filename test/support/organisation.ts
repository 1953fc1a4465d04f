/** The organisation of an instance in a test: its own database, licences of its own maker, a clock that can be set. */
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { newApiKey, sha256 } from "#access/apiKeys";
import { issueLicense, type LicenseClaims } from "#access/license";
import type { OAuthSettings } from "#access/oauth";
import type { Role } from "#contract/organisation";
import type { Call } from "#contract/service";
import { type Admission, admission } from "#entry/organisation";
import type { MemberId } from "#model/organisation";
import type { Clock } from "#platform/clock";
import { type Log, silentLog } from "#platform/log";
import { type DatabaseSource, openStore } from "#store/openStore";
import { embeddedFile } from "#test/support/embeddedFile";
import { temporaryFolder } from "#test/support/repo";

/** Of the maker whose licences count in tests. */
export const maker = newMaker();

export interface Maker {
  /** PEM. */
  readonly privateKey: string;
  /** As a configuration names it. */
  readonly publicKey: string;
}

export function newMaker(): Maker {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    publicKey: publicKey.export({ format: "jwk" }).x ?? "",
  };
}

/** A licence that counts now, for one year. */
export function licenseOf(change: Partial<LicenseClaims> = {}, by: Maker = maker, now = Date.now()): string {
  const claims = {
    id: "L-1",
    organization: "Example",
    features: ["organization", "audit", "oauth"],
    issuedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + 365 * 24 * 60 * 60 * 1000).toISOString(),
    ...change,
  };
  return issueLicense(claims, by.privateKey).license;
}

/** Real time, and whatever is added to it. Waiting takes no time. */
export interface MovedClock extends Clock {
  addedMs: number;
  /** What was waited for, in milliseconds. */
  readonly waits: number[];
}

export function movedClock(): MovedClock {
  const waits: number[] = [];
  return {
    addedMs: 0,
    waits,
    now() {
      return Date.now() + this.addedMs;
    },
    after(delayMs, call) {
      waits.push(delayMs);
      const soon = setImmediate(call);
      return () => clearImmediate(soon);
    },
  };
}

export interface TestOrganisation extends Admission {
  readonly clock: MovedClock;
  /** Adds a member who has a key. */
  member(email: string, role?: Role): Promise<{ readonly id: MemberId; readonly key: string }>;
  /** Puts a licence in, whatever it is. */
  setLicense(license: string | undefined): Promise<void>;
}

export interface TestOrganisationOptions {
  readonly oauth?: OAuthSettings;
  readonly log?: Log;
  readonly clock?: MovedClock;
  /** Its database; a new one by default. */
  readonly source?: DatabaseSource;
}

/** Ada at this computer is its first owner. */
export function testOrganisation(options: TestOrganisationOptions = {}): TestOrganisation {
  const { oauth, log = silentLog, clock = movedClock() } = options;
  const { source = embeddedFile(join(temporaryFolder(), "trawl.db")) } = options;
  const parts = admission({
    open: () => openStore({ source, version: "1.2.3", clock }),
    person: async () => ({ name: "Ada", email: "ada@example.com" }),
    licenseMakers: [maker.publicKey],
    ...(oauth === undefined ? {} : { oauth }),
    clock,
    log,
  });
  return {
    ...parts,
    clock,
    async member(email, role = "MEMBER") {
      const { members } = await parts.organisation.store();
      const addition = await members.add({ email, role });
      if (addition.kind !== "added") throw new Error(`${email} cannot be added.`);
      const { id } = addition.member;
      return { id, key: await keyFor(parts, id) };
    },
    async setLicense(license) {
      await (await parts.organisation.store()).organisation.setLicense(license);
    },
  };
}

async function keyFor({ organisation }: Admission, memberId: MemberId): Promise<string> {
  const { apiKeys } = await organisation.store();
  const key = newApiKey();
  await apiKeys.create({ memberId, name: "test", hash: sha256(key) });
  return key;
}

/** A call of the person at this computer. */
export const local: Pick<Call, "credentials" | "signal"> = {
  credentials: { kind: "local" },
  signal: new AbortController().signal,
};
