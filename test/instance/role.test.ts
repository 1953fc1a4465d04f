import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Caller } from "#contract/service";
import { acquireRole, type RoleOptions } from "#instance/role";
import { type Endpoint, endpointText, socketPath, writeEndpoint } from "#platform/endpoint";
import { diskFiles } from "#platform/files";
import { acquireLock } from "#platform/lock";
import { silentLog } from "#platform/log";
import { temporaryFolder } from "#test/support/repo";
import { listen } from "#transport/http/listener";

const never = new AbortController().signal;
const url = "http://127.0.0.1:4878";
const access = { host: "127.0.0.1", anonymous: "off", allowedHosts: [], allowedOrigins: [] } as const;
const version = "1.0.0";

/** A leader that answers on the socket and runs `onCall` with the number of the call before it does. */
async function leader(
  dataDir: string,
  onCall: (announce: (endpoint: Endpoint) => void, count: number) => void,
) {
  const announce = (endpoint: Endpoint) => writeEndpoint(diskFiles, dataDir, endpointText(endpoint));
  let calls = 0;
  const caller = async () => {
    calls++;
    onCall(announce, calls);
    return { pid: process.pid, version, url };
  };
  const socket = socketPath(dataDir);
  const listener = await listen({ socket, caller: caller as unknown as Caller, log: silentLog });
  const endpoint: Endpoint = { url, socket, pid: process.pid, version, access };
  return { announce, endpoint, close: () => listener.close() };
}

/** Returns the endpoint that a server follows while another process holds the lock. */
async function followedEndpoint(dataDir: string): Promise<Endpoint> {
  const lock = await acquireLock(dataDir);
  assert(lock.kind === "acquired");
  const options = { dataDir, purpose: "serve", signal: never, log: silentLog } as unknown as RoleOptions;
  const role = await acquireRole(options);
  assert(role.kind === "follower");
  await role.close();
  lock.release();
  return role.endpoint;
}

test("a leader that replaces another while it is looked up is followed with the rules of its port", async () => {
  const dataDir = temporaryFolder();
  const next = await leader(dataDir, (announce) => announce(next.endpoint));
  next.announce({ ...next.endpoint, socket: join(dataDir, "old.sock"), pid: 1 });
  assert.deepEqual(await followedEndpoint(dataDir), next.endpoint);
  await next.close();
});

test("a leader without an announcement is followed once it has restored it, so that its rules are known", async () => {
  const dataDir = temporaryFolder();
  const current = await leader(dataDir, (announce, count) => {
    if (count === 3) announce(current.endpoint);
  });
  assert.deepEqual(await followedEndpoint(dataDir), current.endpoint);
  await current.close();
});
