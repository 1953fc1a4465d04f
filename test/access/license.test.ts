/** Licences: what counts, and what is said of each that does not. */
import assert from "node:assert/strict";
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { issueLicense } from "#access/license";
import { operation, operationNames } from "#contract/operations";
import {
  licenseOf,
  local,
  maker,
  newMaker,
  type TestOrganisation,
  testOrganisation,
} from "#test/support/organisation";
import { callerOf } from "#test/support/service";

const day = 24 * 60 * 60 * 1000;
const at = (time: number) => new Date(time).toISOString();
const parts = (license: string) => license.split(".") as [string, string, string];
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const decoded = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());

/** With other claims and the signature as it was. */
function changed(license: string, claims: Readonly<Record<string, unknown>>): string {
  const [head, body, signature] = parts(license);
  return [head, encoded({ ...decoded(body), ...claims }), signature].join(".");
}

/** With another header, signed anew by `seal`. */
function reheaded(
  license: string,
  header: Readonly<Record<string, unknown>>,
  seal: (signed: string) => Buffer,
): string {
  const [head, body] = parts(license);
  const signed = `${encoded({ ...decoded(head), ...header })}.${body}`;
  return `${signed}.${seal(signed).toString("base64url")}`;
}

function signedWithMaker(signed: string): Buffer {
  return sign(null, Buffer.from(signed), createPrivateKey(maker.privateKey));
}

const publicKey = createPublicKey(createPrivateKey(maker.privateKey)).export({ format: "pem", type: "spki" });
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
  /** Whether it was refused already when it was installed. */
  readonly isRefused?: true;
  readonly prepare?: (organisation: TestOrganisation) => Promise<unknown> | undefined;
}

const rows: Readonly<Record<string, Row>> = {
  "a right one": { license, state: "valid", message: /^Licensed to Example until 2/ },
  none: { license: undefined, state: "missing", message: /there is none.*trawl license install/ },
  "one with blanks around it": { license: `\n ${license} \n`, state: "valid", message: /Example/ },
  "one that has expired": {
    license,
    state: "expired",
    message: /has expired on 2/,
    prepare: async (organisation) => {
      organisation.clock.addedMs = 366 * day;
    },
  },
  "a clock that was set back before the day of issue": {
    license,
    state: "clockSetBack",
    message: /clock of this computer was set back/,
    prepare: async (organisation) => {
      organisation.clock.addedMs = -2 * day;
    },
  },
  "a clock that was set back after the licence had expired": {
    license,
    state: "clockSetBack",
    message: /clock/,
    prepare: async (organisation) => {
      organisation.clock.addedMs = 400 * day;
      assert.equal((await organisation.license.state()).state, "expired");
      organisation.clock.addedMs = 100 * day;
    },
  },
  "a clock that was put right by an hour": {
    license,
    state: "valid",
    message: /Example/,
    prepare: async (organisation) => {
      organisation.clock.addedMs = 100 * day;
      await organisation.license.state();
      organisation.clock.addedMs = 100 * day - 60 * 60 * 1000;
    },
  },
  "more members than seats": {
    license,
    state: "seatsExceeded",
    message: /for 2 members, and there are 3/,
    prepare: async (organisation) => {
      await organisation.member("b@example.com");
      await organisation.member("c@example.com");
    },
  },
  "a suspended member takes no seat": {
    license,
    state: "valid",
    message: /Example/,
    prepare: async (organisation) => {
      await organisation.member("b@example.com");
      const { id } = await organisation.member("c@example.com");
      await (await organisation.organisation.store()).members.suspend(id);
    },
  },
  "other claims": {
    license: changed(license, { seats: 1000 }),
    state: "tampered",
    message: /not as it was issued/,
    isRefused: true,
  },
  "a signature cut short": {
    license: license.slice(0, -8),
    state: "tampered",
    message: /not as/,
    isRefused: true,
  },
  "another maker's": {
    license: licenseOf({}, newMaker()),
    state: "unknownKey",
    message: /signed by somebody whose licences do not count/,
    isRefused: true,
  },
  "another maker's under this one's name": {
    license: reheaded(licenseOf(), {}, (signed) =>
      sign(null, Buffer.from(signed), generateKeyPairSync("ed25519").privateKey),
    ),
    state: "tampered",
    message: /signature does not fit/,
    isRefused: true,
  },
  "alg none": {
    license: reheaded(license, { alg: "none" }, () => Buffer.alloc(0)),
    state: "wrongAlgorithm",
    message: /algorithm that does not count/,
    isRefused: true,
  },
  "HS256 with the public key": {
    license: reheaded(license, { alg: "HS256" }, (signed) =>
      createHmac("sha256", publicKey).update(signed).digest(),
    ),
    state: "wrongAlgorithm",
    message: /algorithm/,
    isRefused: true,
  },
  "another header's name for the algorithm, rightly signed": {
    license: reheaded(license, { alg: "RS256" }, signedWithMaker),
    state: "wrongAlgorithm",
    message: /algorithm/,
    isRefused: true,
  },
  "no licence at all": { license: "hello", state: "malformed", message: /cannot be read/, isRefused: true },
  "claims that are none": {
    license: claimless,
    state: "malformed",
    message: /cannot be read/,
    isRefused: true,
  },
  "only dots": { license: "..", state: "malformed", message: /cannot be read/, isRefused: true },
};

for (const [name, { license: token, state, message, isRefused, prepare }] of Object.entries(rows)) {
  test(name, async () => {
    const organisation = testOrganisation();
    const caller = callerOf({}, { organisation });
    if (token !== undefined && isRefused) {
      await assert.rejects(caller("installLicense", { license: token }, local), {
        code: "INVALID_REQUEST_BODY",
        message,
      });
      assert.equal((await caller("license", {}, local)).state, "missing");
    } else if (token !== undefined) await caller("installLicense", { license: token }, local);
    // Somebody may have written it into the database.
    if (isRefused) await organisation.setLicense(token);
    await prepare?.(organisation);
    const told = await caller("license", {}, local);
    assert.equal(told.state, state);
    assert.match(told.message, message);
    assert.equal(told.organization, token === undefined || isRefused ? undefined : "Example");
    const listing = caller("users", {}, local);
    if (state === "valid") assert.equal((await listing)[0]?.email, "ada@example.com");
    else await assert.rejects(listing, { code: "LICENSE_REQUIRED", message });
    // What needs no licence goes on.
    assert.deepEqual((await caller("repos", {}, local)).items, []);
  });
}

test("a right licence stays where a wrong one is to take its place", async () => {
  const organisation = testOrganisation();
  const caller = callerOf({}, { organisation });
  await caller("installLicense", { license }, local);
  await assert.rejects(caller("installLicense", { license: licenseOf({}, newMaker()) }, local));
  assert.equal((await caller("license", {}, local)).state, "valid");
});

test("who says that the clock is right again has a licence that counts, and is recorded", async () => {
  const organisation = testOrganisation();
  const caller = callerOf({}, { organisation });
  await caller("installLicense", { license }, local);
  organisation.clock.addedMs = 400 * day;
  assert.equal((await caller("license", {}, local)).state, "expired");
  organisation.clock.addedMs = 10 * day;
  const { state, message } = await caller("license", {}, local);
  assert.equal(state, "clockSetBack");
  assert.match(message, /it was 2\d{3}-\d\d-\d\d before.*"trawl license reset-clock"/);
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
  // Nothing was noted that is later than now.
  await caller("resetClock", {}, local);
  assert.equal((await caller("audit", {}, local)).items[1]?.action, "license.clock_reset");
});

test("a clock that shows a time before the licence was issued must be set right", async () => {
  const organisation = testOrganisation();
  const caller = callerOf({}, { organisation });
  await caller("installLicense", { license }, local);
  organisation.clock.addedMs = -3 * day;
  const { state, message } = await caller("resetClock", {}, local);
  assert.equal(state, "clockSetBack");
  assert.match(message, /the licence was issued on .*\. Set it right\.$/);
});

test("the last seat is given once, and none beyond it", async () => {
  const organisation = testOrganisation();
  const caller = callerOf({}, { organisation });
  await caller("installLicense", { license }, local);
  const added = await Promise.allSettled(
    ["b", "c", "d"].map((name) => caller("addMember", { email: `${name}@example.com` }, local)),
  );
  assert.equal(added.filter(({ status }) => status === "fulfilled").length, 1);
  await assert.rejects(caller("addMember", { email: "e@example.com" }, local), {
    code: "LICENSE_REQUIRED",
    message: "The licence is for 2 members, and there are 2.",
  });
});

test("only an Ed25519 key signs, and only what a licence can say", () => {
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
  assert.throws(() => issueLicense({ ...claims, seats: 0 }, maker.privateKey), {
    code: "USAGE",
    message: /seats/,
  });
  assert.throws(() => issueLicense({ ...claims, expiresAt: "soon" }, maker.privateKey), { code: "USAGE" });
});

test("the rows that need a licence are those below /api/ee/", () => {
  for (const name of operationNames) {
    const { http, licensed } = operation(name);
    assert.equal(licensed !== undefined, http?.path.startsWith("/api/ee/") === true, name);
  }
});

test("a licence opens what it names", async () => {
  const organisation = testOrganisation();
  const caller = callerOf({}, { organisation });
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
    message: 'This needs a licence for "organization", and this one is for nothing.',
  });
});
