/** Measures what a credential adds to a request, alternating with the same request without one. */
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Agent, request } from "undici";
import { operation } from "#contract/operations";
import type { Credentials } from "#contract/service";
import type { DatabaseSource } from "#store/connection";
import { licenseOf, testOrganization } from "#test/support/organization";
import { callerOf, openListener } from "#test/support/service";
import { benchDatabases } from "./databases";
import { median, ms, printTable } from "./report";

const rounds = 2000;
const httpRounds = 1000;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

export async function benchCredentials(scratch: string): Promise<void> {
  await benchDatabases({
    scratch: join(scratch, "credentials"),
    title: (database) => `Credentials: ${database}`,
    bench: (source) => benchSource(source()),
  });
}

async function benchSource(source: DatabaseSource): Promise<void> {
  const issuer = await startKeys();
  const oauth = { issuer: issuer.url, audience: "bench", createsMembers: false };
  const organization = testOrganization({ oauth, source });
  await organization.setLicense(licenseOf({ seats: 100 }));
  const { key } = await organization.member("bob@example.com");
  const { signal } = new AbortController();
  const shown: Readonly<Record<string, Credentials>> = {
    "no credential": { kind: "none" },
    "an API key": { kind: "apiKey", token: key },
    "an access token": { kind: "bearer", token: issuer.token },
  };
  const checks = await alternately(
    Object.fromEntries(
      Object.entries(shown).map(([name, credentials]) => [
        name,
        () => organization.access.admit(operation("commits"), { credentials, anonymous: "on", signal }),
      ]),
    ),
    rounds,
  );
  const listener = await openListener(callerOf({}, { organization }));
  const agent = new Agent({ connections: 1, pipelining: 1 });
  const ask = (headers: Readonly<Record<string, string>>) => async () => {
    const response = await request(`${listener.url}/api/repos/skipped`, { headers, dispatcher: agent });
    if (response.statusCode !== 200) throw new Error(`Status ${response.statusCode}.`);
    await response.body.dump();
  };
  const requests = await alternately(
    {
      "no credential": ask({}),
      "an API key": ask({ "x-service-api-key": key }),
      "an access token": ask({ authorization: `Bearer ${issuer.token}` }),
    },
    httpRounds,
  );
  await agent.close();
  await listener.close();
  await issuer.close();
  await organization.organization.close();
  const plain = requests.get("no credential") ?? 0;
  printTable(
    ["", "check, ms", "request, ms", "added, ms"],
    Object.keys(shown).map((name) => {
      const whole = requests.get(name) ?? 0;
      return [name, ms(checks.get(name)), ms(whole), name === "no credential" ? "" : ms(whole - plain)];
    }),
  );
}

/** Returns medians in milliseconds. Rounds alternate, so that a busy moment affects all of them. */
async function alternately(
  work: Readonly<Record<string, () => Promise<unknown>>>,
  count: number,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map(Object.keys(work).map((name) => [name, [] as number[]]));
  for (let round = 0; round < count; round++) {
    for (const [name, run] of Object.entries(work)) {
      const began = performance.now();
      await run();
      times.get(name)?.push(performance.now() - began);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

/** Starts an issuer that only serves its keys, with one long-lived token. */
async function startKeys() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  let url = "";
  const server = createServer((asked, response) => {
    const keys = [{ ...publicKey.export({ format: "jwk" }), alg: "ES256", use: "sig", kid: "1" }];
    const isKeys = asked.url === "/jwks";
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(isKeys ? { keys } : { issuer: url, jwks_uri: `${url}/jwks` }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims = {
    iss: url,
    aud: "bench",
    sub: "bob",
    email: "bob@example.com",
    email_verified: true,
    exp: Math.floor(Date.now() / 1000) + 3600,
  };
  const signed = `${encoded({ alg: "ES256", typ: "at+jwt", kid: "1" })}.${encoded(claims)}`;
  const seal = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return {
    get url() {
      return url;
    },
    token: `${signed}.${seal.toString("base64url")}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
