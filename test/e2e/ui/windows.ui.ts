import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer, trawlServers, trawlSockets } from "#e2e/driver/codeServer";
import { portsOf, processesOf } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { target } from "#e2e/driver/target";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";

/** Seconds that an extension host waits for a disconnected window, where VS Code supports an option for it. */
const graceSeconds = 5;

describe("two windows on the same folder", () => {
  let browser: Browser;
  let server: CodeServer;
  let first: Window;
  let second: Window;

  before(async () => {
    const words = target().vsCode.takesGraceTime ? ["--reconnection-grace-time", String(graceSeconds)] : [];
    server = await startCodeServer({ hasVsix: true, arguments: words });
    browser = await launchBrowser();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const leader = (): number =>
    JSON.parse(readFileSync(join(server.dataDirectory, "endpoint.json"), "utf8")).pid;

  it("get the same results", async () => {
    first = await Window.open(browser, server);
    await first.openTrawl();
    const counts = await first.box.searchUntil("retryWithBackoff", /^13 matches/);
    second = await Window.open(browser, server);
    await second.openTrawl();
    assert.equal(
      withoutTime(await second.box.searchUntil("retryWithBackoff", /^13 matches/)),
      withoutTime(counts),
    );
  });

  it("have one server each, of which one is the leader", () => {
    const servers = trawlServers(server);
    assert.equal(servers.length, 2);
    assert.ok(servers.includes(leader()));
  });

  it("open no port", () => {
    const servers = trawlServers(server);
    assert.deepEqual(portsOf(processesOf(server.root).filter(({ pid }) => servers.includes(pid))), []);
  });

  it("return results from another leader after the leader is killed", async () => {
    const killed = leader();
    // The server of the first window started first, so it is the leader.
    kill(killed, "SIGKILL");
    const began = performance.now();
    // One search: nobody searches again, and only a search that hangs exceeds the limit.
    const counts = await second.box.search("chargeCard");
    const tookMs = performance.now() - began;
    note(`the other window had results ${tookMs.toFixed(0)} ms after the leader was killed: ${counts}`);
    assert.match(counts, /2 repositories/);
    await eventually(() => leader() !== killed && trawlServers(server).includes(leader()));
  });

  it("continue without a notification", async () => {
    // The next leader reads the index, and then each window repeats the search that it shows.
    await first.box.searchUntil("ORDER_TIMEOUT_MS", /5 repositories/);
    await second.box.searchUntil("ORDER_TIMEOUT_MS", /5 repositories/);
    assert.deepEqual([...(await first.notifications()), ...(await second.notifications())], []);
  });

  it("leave no process and no socket behind", async () => {
    await first.close();
    await second.close();
    const hosts = () => processesOf(server.root).filter(({ command }) => /type=extensionHost/.test(command));
    await eventually(() => hosts().length === 0, 100_000);
    const began = performance.now();
    const remaining = () => [...trawlServers(server), ...trawlSockets(server)];
    await eventually(() => remaining().length === 0, 60_000);
    note(
      `no server or socket was left ${(performance.now() - began).toFixed(0)} ms after the last extension host exited`,
    );
    assert.deepEqual(remaining(), []);
  });
});

function withoutTime(counts: string): string {
  return counts.slice(0, counts.lastIndexOf(" · "));
}
