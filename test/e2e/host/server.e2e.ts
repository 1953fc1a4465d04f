import assert from "node:assert/strict";
import * as vscode from "vscode";
import { portsOf, processesOf } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";
import { firstResult, run, servers } from "./actions";

describe("the server", () => {
  const isFound = (location: string) => location.endsWith("client.go:11");
  const search = () => firstResult("c.once", isFound);

  function ports(): readonly number[] {
    const all = processesOf(process.env["HOME"] ?? "");
    return portsOf(all.filter(({ pid }) => servers().includes(pid)));
  }

  async function theServer(): Promise<number> {
    return await eventually(() => servers().length === 1 && servers()[0]);
  }

  it("starts with the first search", async () => {
    assert.deepEqual(servers(), []);
    await search();
    assert.equal(servers().length, 1);
  });

  it("listens on no port", () => {
    assert.deepEqual(ports(), []);
  });

  it("serves the endpoint while the setting is on", async () => {
    const settings = vscode.workspace.getConfiguration("trawl");
    await settings.update("api.enabled", true, true);
    const [port] = await eventually(() => ports().length > 0 && ports());
    const response = await fetch(`http://127.0.0.1:${port}/api/health`);
    assert.equal(response.status, 200);
    await settings.update("api.enabled", undefined, true);
    await eventually(() => ports().length === 0);
  });

  it("is a new process after a restart", async () => {
    const before = await theServer();
    await run("server.restart");
    const after = await theServer();
    assert.notEqual(after, before);
    await search();
  });

  it("restarts automatically when it is killed", async () => {
    const before = await theServer();
    kill(before, "SIGKILL");
    const began = performance.now();
    await search();
    note(`a search responded ${(performance.now() - began).toFixed(0)} ms after the server was killed`);
    assert.notEqual(await theServer(), before);
  });

  it("stays stopped after five crashes until the user restarts it", async () => {
    await run("server.restart");
    for (let crash = 1; crash <= 5; crash++) {
      const pid = await theServer();
      kill(pid, "SIGKILL");
      await eventually(() => !servers().includes(pid));
      if (crash < 5) await eventually(() => servers().length === 1);
    }
    // Only a wait can show that nothing happens.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    assert.deepEqual(servers(), []);
    await run("server.restart");
    await search();
  });
});
