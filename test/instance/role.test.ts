import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Caller } from "#contract/service";
import { findLeader } from "#instance/role";
import { type Endpoint, endpointText, socketPath, writeEndpoint } from "#platform/endpoint";
import { diskFiles } from "#platform/files";
import { silentLog } from "#platform/log";
import { temporaryFolder } from "#test/support/repo";
import { listen } from "#transport/http/listener";

const never = new AbortController().signal;

test("a leader that replaces another while it is looked up is found with the rules of its port", async () => {
  const dataDir = temporaryFolder();
  const socket = socketPath(dataDir);
  const announce = (endpoint: Endpoint) => writeEndpoint(diskFiles, dataDir, endpointText(endpoint));
  const url = "http://127.0.0.1:4878";
  const access = { host: "127.0.0.1", anonymous: "off", allowedHosts: [], allowedOrigins: [] } as const;
  announce({ url, socket: join(dataDir, "old.sock"), pid: 1, version: "1.0.0", access });
  const next: Endpoint = { url, socket, pid: 2, version: "1.0.0", access };
  const caller = (async () => {
    announce(next);
    return { pid: 2, version: "1.0.0", url };
  }) as unknown as Caller;
  const listener = await listen({ socket, caller, log: silentLog });
  try {
    assert.deepEqual(await findLeader(dataDir, never), next);
  } finally {
    await listener.close();
  }
});
