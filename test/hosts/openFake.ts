/** Opens connections to fake hosts. */

import type { CodeHost, ScopeListing } from "#hosts/codeHost";
import type { Connection } from "#hosts/connection";
import { type HostOptions, openHost } from "#hosts/openHost";
import { parseConnections } from "#hosts/parseConnections";
import { type Dialect, FakeHost, type FakeRepository, jumpingClock, manyRepositories } from "./fakeHost";

export const never: AbortSignal = new AbortController().signal;

export interface FakeOptions extends HostOptions {
  /** Replaces settings of the dialect. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly repositories?: FakeRepository[];
  /** The token of host and connection. */
  readonly token?: string;
  /** The token that the connection has instead. */
  readonly givenToken?: string;
}

/** Starts a host of this dialect, calls `use` with a connection to it, and closes both. */
export async function withFake(
  dialect: Dialect,
  options: FakeOptions,
  use: (fake: FakeHost, host: CodeHost) => Promise<void>,
): Promise<void> {
  const fake = await new FakeHost(dialect, options.repositories ?? manyRepositories(60)).start();
  fake.token = options.token;
  fake.pageLimit = 20;
  const apiUrl = dialect.type === "bitbucketCloud" ? { apiUrl: `${fake.url}/2.0` } : {};
  const host = openHost("work", fakeConnection(fake, options), {
    clock: jumpingClock(),
    ...apiUrl,
    ...options,
  });
  try {
    await use(fake, host);
  } finally {
    await host.close();
    await fake.close();
  }
}

let tokenCount = 0;

function fakeConnection({ dialect, url }: FakeHost, options: FakeOptions): Connection {
  const token = options.givenToken ?? options.token;
  const { user, ...settings } = { ...dialect.settings(url), allowHttp: true, ...options.settings } as {
    readonly user?: string;
  };
  const env = `TRAWL_TEST_TOKEN_${tokenCount++}`;
  if (token !== undefined) process.env[env] = token;
  const credentials = token === undefined ? {} : { token: { env }, ...(user === undefined ? {} : { user }) };
  const work = parseConnections({ work: { ...settings, ...credentials } })["work"];
  if (work === undefined) throw new Error("There is no connection");
  return work;
}

/** Lists the only scope of a connection. */
export async function listOnly(host: CodeHost, signal: AbortSignal = never): Promise<ScopeListing> {
  const listings: ScopeListing[] = [];
  for await (const listing of host.list(signal)) listings.push(listing);
  const [listing] = listings;
  if (listing === undefined || listings.length > 1) throw new Error(`There are ${listings.length} scopes`);
  return listing;
}

/** Returns the path under which a host lists a repository of the world. */
export function pathOn(dialect: Dialect, path: string): string {
  return dialect.type === "azuredevops" ? path.replace("/", "/Team A/") : path;
}
