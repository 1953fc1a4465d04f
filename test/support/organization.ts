/** The organization of a test instance: its own database, licenses from a test issuer, and a settable clock. */
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { generateApiKey, sha256 } from "#access/apiKeys";
import { issueLicense, type LicenseClaims } from "#access/license";
import type { Role } from "#contract/organization";
import type { Call } from "#contract/service";
import { type AccessControl, createAccessControl, type OAuthSettings } from "#instance/accessControl";
import { createOrganizationMemory } from "#instance/organizationMemory";
import type { MemberId } from "#model/organization";
import type { Clock } from "#platform/clock";
import { type Log, silentLog } from "#platform/log";
import type { DatabaseSource } from "#store/connection";
import { openStore } from "#store/openStore";
import { embeddedFile } from "./embeddedFile";
import { temporaryFolder } from "./repo";

/** The license issuer that test instances trust. */
export const licenseKeys = newLicenseKeys();

export interface LicenseKeys {
  /** PEM. */
  readonly privateKey: string;
  /** In the format of the configuration. */
  readonly publicKey: string;
}

export function newLicenseKeys(): LicenseKeys {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    publicKey: publicKey.export({ format: "jwk" }).x ?? "",
  };
}

/** Issues a license that is valid for one year from now. */
export function licenseOf(
  change: Partial<LicenseClaims> = {},
  by: LicenseKeys = licenseKeys,
  now = Date.now(),
): string {
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

/** Real time plus an offset. Timers fire at once. */
export interface OffsetClock extends Clock {
  /** Milliseconds added to both wall-clock and elapsed time. */
  addedMs: number;
  /** Milliseconds by which only the wall clock is off. */
  wrongMs: number;
  /** Delays of all timers, in milliseconds. */
  readonly waits: number[];
}

export function offsetClock(): OffsetClock {
  const waits: number[] = [];
  return {
    addedMs: 0,
    wrongMs: 0,
    waits,
    now() {
      return Date.now() + this.addedMs + this.wrongMs;
    },
    elapsed() {
      return Math.round(performance.now()) + this.addedMs;
    },
    after(delayMs, call) {
      waits.push(delayMs);
      const soon = setImmediate(call);
      return () => clearImmediate(soon);
    },
  };
}

export interface TestOrganization extends AccessControl {
  readonly clock: OffsetClock;
  /** Adds a member with an API key. */
  member(email: string, role?: Role): Promise<{ readonly id: MemberId; readonly key: string }>;
  /** Stores a license without validating it. */
  setLicense(license: string | undefined): Promise<void>;
}

export interface TestOrganizationOptions {
  readonly oauth?: OAuthSettings;
  readonly log?: Log;
  readonly clock?: OffsetClock;
  /** Defaults to a new database. */
  readonly source?: DatabaseSource;
}

/** Creates an organization whose first owner is Ada, the local user. */
export function testOrganization(options: TestOrganizationOptions = {}): TestOrganization {
  const { oauth, log = silentLog, clock = offsetClock() } = options;
  const { source = embeddedFile(join(temporaryFolder(), "trawl.db")) } = options;
  const parts = createAccessControl({
    open: (expected) => openStore({ source, version: "1.2.3", clock, expected }),
    memory: createOrganizationMemory(temporaryFolder(), source.name, log),
    person: async () => ({ name: "Ada", email: "ada@example.com" }),
    licenseMakers: [licenseKeys.publicKey],
    ...(oauth === undefined ? {} : { oauth }),
    clock,
    log,
  });
  return {
    ...parts,
    clock,
    async member(email, role = "MEMBER") {
      const { members } = await parts.organization.store();
      const addition = await members.add({ email, role });
      if (addition.kind !== "added") throw new Error(`${email} cannot be added.`);
      const { id } = addition.member;
      return { id, key: await keyFor(parts, id) };
    },
    async setLicense(license) {
      await (await parts.organization.store()).organization.setLicense(license);
    },
  };
}

async function keyFor({ organization }: AccessControl, memberId: MemberId): Promise<string> {
  const { apiKeys } = await organization.store();
  const key = generateApiKey();
  await apiKeys.create({ memberId, name: "test", hash: sha256(key) });
  return key;
}

/** A call by the local user. */
export const local: Pick<Call, "credentials" | "signal"> = {
  credentials: { kind: "local" },
  signal: new AbortController().signal,
};
