/** Which licenses are valid, and how each invalid one is reported. */
import assert from "node:assert/strict";
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { issueLicense } from "#access/license";
import { operation, operationNames } from "#contract/operations";
import {
  licenseKeys,
  licenseOf,
  local,
  newLicenseKeys,
  type TestOrganization,
  testOrganization,
} from "#test/support/organization";
import { callerOf } from "#test/support/service";

const day = 24 * 60 * 60 * 1000;
const at = (time: number) => new Date(time).toISOString();
const parts = (license: string) => license.split(".") as [string, string, string];
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const decoded = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());

/** Returns `license` with other claims and its original signature. */
function withClaims(license: string, claims: Readonly<Record<string, unknown>>): string {
  const [head, body, signature] = parts(license);
  return [head, encoded({ ...decoded(body), ...claims }), signature].join(".");
}

/** Returns `license` with another header, signed again by `signatureOf`. */
function withHeader(
  license: string,
  header: Readonly<Record<string, unknown>>,
  signatureOf: (signed: string) => Buffer,
): string {
  const [head, body] = parts(license);
  const signed = `${encoded({ ...decoded(head), ...header })}.${body}`;
  return `${signed}.${signatureOf(signed).toString("base64url")}`;
}

function signedWithMaker(signed: string): Buffer {
  return sign(null, Buffer.from(signed), createPrivateKey(licenseKeys.privateKey));
}

const publicKey = createPublicKey(createPrivateKey(licenseKeys.privateKey)).export({
  format: "pem",
  type: "spki",
});
const license = licenseOf({ seats: 2 });
const claimless = (() => {
  const [head] = parts(license);
  const signed = `${head}.${encoded({ id: "x" })}`;
  return `${signed}.${signedWithMaker(signed).toString("base64url")}`;
})();

interface Row {
  readonly license: string | undefined;
  readonly state: string;
  readonly message: RegExp;
  /** Whether its installation is refused. */
  readonly isRefused?: true;
  readonly prepare?: (organization: TestOrganization) => Promise<unknown> | undefined;
}

const rows: Readonly<Record<string, Row>> = {
  "a valid license": { license, state: "valid", message: /^Licensed to Example until 2/ },
  "no license": {
    license: undefined,
    state: "missing",
    message: /No license is installed.*trawl license install/,
  },
  "whitespace around the license": { license: `\n ${license} \n`, state: "valid", message: /Example/ },
  "an expired license": {
    license,
    state: "expired",
    message: /license expired on 2/,
    prepare: async (organization) => {
      organization.clock.addedMs = 366 * day;
    },
  },
  "a clock set back to before the day of issue": {
    license,
    state: "clockSetBack",
    message: /clock of this computer is wrong/,
    prepare: async (organization) => {
      organization.clock.addedMs = -2 * day;
    },
  },
  "a clock set back after the license expired": {
    license,
    state: "clockSetBack",
    message: /clock/,
    prepare: async (organization) => {
      organization.clock.addedMs = 400 * day;
      assert.equal((await organization.license.state()).state, "expired");
      organization.clock.addedMs = 100 * day;
    },
  },
  "a clock corrected by an hour": {
    license,
    state: "valid",
    message: /Example/,
    prepare: async (organization) => {
      organization.clock.addedMs = 100 * day;
      await organization.license.state();
      organization.clock.addedMs = 100 * day - 60 * 60 * 1000;
    },
  },
  "more members than seats": {
    license,
    state: "seatsExceeded",
    message: /has 2 seats, but there are 3 members/,
    prepare: async (organization) => {
      await organization.member("b@example.com");
      await organization.member("c@example.com");
    },
  },
  "a suspended member takes no seat": {
    license,
    state: "valid",
    message: /Example/,
    prepare: async (organization) => {
      await organization.member("b@example.com");
      const { id } = await organization.member("c@example.com");
      await (await organization.organization.store()).members.suspend(id);
    },
  },
  "other claims": {
    license: withClaims(license, { seats: 1000 }),
    state: "tampered",
    message: /changed after it was issued/,
    isRefused: true,
  },
  "a signature cut short": {
    license: license.slice(0, -8),
    state: "tampered",
    message: /changed after/,
    isRefused: true,
  },
  "a license of another issuer": {
    license: licenseOf({}, newLicenseKeys()),
    state: "unknownKey",
    message: /signed by an issuer that this instance does not trust/,
    isRefused: true,
  },
  "a license of another issuer with this issuer's key ID": {
    license: withHeader(licenseOf(), {}, (signed) =>
      sign(null, Buffer.from(signed), generateKeyPairSync("ed25519").privateKey),
    ),
    state: "tampered",
    message: /signature does not match/,
    isRefused: true,
  },
  "alg none": {
    license: withHeader(license, { alg: "none" }, () => Buffer.alloc(0)),
    state: "wrongAlgorithm",
    message: /algorithm that is not supported/,
    isRefused: true,
  },
  "HS256 with the public key": {
    license: withHeader(license, { alg: "HS256" }, (signed) =>
      createHmac("sha256", publicKey).update(signed).digest(),
    ),
    state: "wrongAlgorithm",
    message: /algorithm/,
    isRefused: true,
  },
  "another algorithm in the header, with a valid signature": {
    license: withHeader(license, { alg: "RS256" }, signedWithMaker),
    state: "wrongAlgorithm",
    message: /algorithm/,
    isRefused: true,
  },
  "text that is not a license": {
    license: "hello",
    state: "malformed",
    message: /cannot be read/,
    isRefused: true,
  },
  "a signed license without the required claims": {
    license: claimless,
    state: "malformed",
    message: /cannot be read/,
    isRefused: true,
  },
  "only dots": { license: "..", state: "malformed", message: /cannot be read/, isRefused: true },
};

for (const [name, { license: token, state, message, isRefused, prepare }] of Object.entries(rows)) {
  test(name, async () => {
    const organization = testOrganization();
    const caller = callerOf({}, { organization });
    if (token !== undefined && isRefused) {
      await assert.rejects(caller("installLicense", { license: token }, local), {
        code: "INVALID_REQUEST_BODY",
        message,
      });
      assert.equal((await caller("license", {}, local)).state, "missing");
    } else if (token !== undefined) await caller("installLicense", { license: token }, local);
    // The database may contain it anyway.
    if (isRefused) await organization.setLicense(token);
    await prepare?.(organization);
    const response = await caller("license", {}, local);
    assert.equal(response.state, state);
    assert.match(response.message, message);
    assert.equal(response.organization, token === undefined || isRefused ? undefined : "Example");
    const listing = caller("users", {}, local);
    if (state === "valid") assert.equal((await listing)[0]?.email, "ada@example.com");
    else await assert.rejects(listing, { code: "LICENSE_REQUIRED", message });
    // Unlicensed operations still work.
    assert.deepEqual((await caller("repos", {}, local)).items, []);
  });
}

test("a failed installation keeps the installed license", async () => {
  const organization = testOrganization();
  const caller = callerOf({}, { organization });
  await caller("installLicense", { license }, local);
  await assert.rejects(caller("installLicense", { license: licenseOf({}, newLicenseKeys()) }, local));
  assert.equal((await caller("license", {}, local)).state, "valid");
});

test("resetting the clock makes the license valid again and is recorded", async () => {
  const organization = testOrganization();
  const caller = callerOf({}, { organization });
  await caller("installLicense", { license }, local);
  organization.clock.addedMs = 400 * day;
  assert.equal((await caller("license", {}, local)).state, "expired");
  organization.clock.addedMs = 10 * day;
  const { state, message } = await caller("license", {}, local);
  assert.equal(state, "clockSetBack");
  assert.match(message, /has shown 2\d{3}-\d\d-\d\d before.*"trawl license reset-clock"/);
  assert.equal((await caller("resetClock", {}, local)).state, "valid");
  assert.equal((await caller("license", {}, local)).state, "valid");
  const { items } = await caller("audit", {}, local);
  assert.deepEqual(
    items.map(({ action, metadata }) => [action, metadata]),
    [
      ["license.clock_reset", null],
      ["license.installed", { license: "L-1" }],
    ],
  );
  // No recorded time is later than now, so this is not recorded.
  await caller("resetClock", {}, local);
  assert.equal((await caller("audit", {}, local)).items[1]?.action, "license.clock_reset");
});

test("resetting the clock does not help if it is before the day of issue", async () => {
  const organization = testOrganization();
  const caller = callerOf({}, { organization });
  await caller("installLicense", { license }, local);
  organization.clock.addedMs = -3 * day;
  const { state, message } = await caller("resetClock", {}, local);
  assert.equal(state, "clockSetBack");
  assert.match(message, /the license was issued on .*\. Correct the clock\.$/);
});

test("concurrent requests fill the last seat only once", async () => {
  const organization = testOrganization();
  const caller = callerOf({}, { organization });
  await caller("installLicense", { license }, local);
  const added = await Promise.allSettled(
    ["b", "c", "d"].map((name) => caller("addMember", { email: `${name}@example.com` }, local)),
  );
  assert.equal(added.filter(({ status }) => status === "fulfilled").length, 1);
  await assert.rejects(caller("addMember", { email: "e@example.com" }, local), {
    code: "LICENSE_REQUIRED",
    message: "The license has 2 seats, and all are taken.",
  });
});

test("issuing a license requires an Ed25519 key and valid claims", () => {
  const claims = {
    id: "1",
    organization: "x",
    features: [],
    issuedAt: at(0),
    expiresAt: at(day),
  };
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const pem = rsa.export({ format: "pem", type: "pkcs8" }).toString();
  for (const key of [pem, "no key", ""]) {
    assert.throws(() => issueLicense(claims, key), { code: "USAGE", message: /Ed25519 private key/ });
  }
  assert.throws(() => issueLicense({ ...claims, seats: 0 }, licenseKeys.privateKey), {
    code: "USAGE",
    message: /seats/,
  });
  assert.throws(() => issueLicense({ ...claims, expiresAt: "soon" }, licenseKeys.privateKey), {
    code: "USAGE",
  });
});

test("exactly the operations below /api/ee/ need a license", () => {
  for (const name of operationNames) {
    const { http, licensed } = operation(name);
    assert.equal(licensed !== undefined, http?.path.startsWith("/api/ee/") === true, name);
  }
});

test("a license enables only the features that it names", async () => {
  const organization = testOrganization();
  const caller = callerOf({}, { organization });
  const opened = async () => {
    const calls = [
      caller("users", {}, local),
      caller("removeUser", { userId: "x" }, local),
      caller("audit", {}, local),
    ];
    const codes = (await Promise.allSettled(calls)).map((each) =>
      each.status === "rejected" ? each.reason.code : "",
    );
    return codes.map((code) => code !== "LICENSE_REQUIRED");
  };
  const rows: [features: string[], expected: boolean[]][] = [
    [["organization"], [true, true, false]],
    [["audit"], [false, false, true]],
    [
      ["oauth", "something new"],
      [false, false, false],
    ],
    [[], [false, false, false]],
  ];
  for (const [features, expected] of rows) {
    await caller("installLicense", { license: licenseOf({ features }) }, local);
    assert.deepEqual(await opened(), expected, features.join());
  }
  await assert.rejects(caller("users", {}, local), {
    message: 'This requires a license for "organization", but the installed license is for no feature.',
  });
});
