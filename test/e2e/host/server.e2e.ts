import assert from "node:assert/strict";
import * as vscode from "vscode";
import { portsOf, processesOf, until } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { firstResult, run, servers } from "#e2e/host/searching";
import { note } from "#e2e/report";

describe("the server", () => {
  const isFound = (place: string) => place.endsWith("client.go:11");
  const search = () => firstResult("c.once", isFound);

  function ports(): readonly number[] {
    const all = processesOf(process.env["HOME"] ?? "");
    return portsOf(all.filter(({ pid }) => servers().includes(pid)));
  }

  async function theServer(): Promise<number> {
    return await until("one server runs", () => servers().length === 1 && servers()[0]);
  }

  it("starts with the first search", async () => {
    assert.deepEqual(servers(), []);
    await search();
    assert.equal(servers().length, 1);
  });

  it("listens on no port", () => {
    assert.deepEqual(ports(), []);
  });

  it("serves the endpoint while the setting says so", async () => {
    const settings = vscode.workspace.getConfiguration("trawl");
    await settings.update("api.enabled", true, true);
    const [port] = await until("it listens", () => ports().length > 0 && ports());
    const answer = await fetch(`http://127.0.0.1:${port}/api/health`);
    assert.equal(answer.status, 200);
    await settings.update("api.enabled", undefined, true);
    await until("it listens no more", () => ports().length === 0);
  });

  it("is another one after a restart", async () => {
    const before = await theServer();
    await run("server.restart");
    const after = await theServer();
    assert.notEqual(after, before);
    await search();
  });

  it("comes back by itself when it is killed", async () => {
    const before = await theServer();
    kill(before, "SIGKILL");
    const began = performance.now();
    await search();
    note(`a search answered ${(performance.now() - began).toFixed(0)} ms after the server was killed`);
    assert.notEqual(await theServer(), before);
  });

  it("is left alone after five crashes, until somebody restarts it", async () => {
    await run("server.restart");
    for (let crash = 1; crash <= 5; crash++) {
      const pid = await theServer();
      kill(pid, "SIGKILL");
      await until("it has ended", () => !servers().includes(pid));
      if (crash < 5) await until("it runs again", () => servers().length === 1);
    }
    // Nothing happens, and that has to be waited for.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    assert.deepEqual(servers(), []);
    await run("server.restart");
    await search();
  });
});
