import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import * as vscode from "vscode";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";
import { servers } from "./actions";

describe("activation", () => {
  const extension = vscode.extensions.getExtension("trawl.trawl");
  assert.ok(extension);

  it("is fast", async () => {
    // Wait until other extensions are idle.
    await eventually(async () => {
      const before = performance.eventLoopUtilization();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return performance.eventLoopUtilization(before).utilization < 0.1;
    });
    const began = performance.now();
    const before = process.cpuUsage();
    await extension.activate();
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1000;
    note(`activation ${(performance.now() - began).toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of CPU time`);
    // The target is 50 ms. CPU time, too, varies with the load of the machine, so only a multiple is a failure.
    assert.ok(cpuMs < 1_000, `activation took ${cpuMs} ms of CPU time`);
  });

  it("loads the extension under test", () => {
    const mode = process.env["TRAWL_E2E_EXTENSION"];
    assert.equal(/extensions\/trawl\.trawl-/.test(extension.extensionPath), mode === "vsix");
  });

  it("registers exactly the commands of the manifest", async () => {
    const manifest = JSON.parse(readFileSync(join(extension.extensionPath, "package.json"), "utf8"));
    const named: string[] = manifest.contributes.commands.map(({ command }: vscode.Command) => command);
    const containers: readonly (readonly { readonly id: string }[])[] = Object.values(
      manifest.contributes.views,
    );
    const views = containers.flat().map(({ id }) => id);
    const registered = (await vscode.commands.getCommands(true)).filter((id) => id.startsWith("trawl."));
    // VS Code registers some commands for each view.
    const own = registered.filter(
      (id) => named.includes(id) || !views.some((view) => id.startsWith(`${view}.`)),
    );
    const container = /^trawl\.(?:resetViewContainerLocation|.*viewContainer.*)$/;
    assert.deepEqual(own.filter((id) => !container.test(id)).sort(), [...named].sort());
  });

  it("starts no server", () => {
    assert.deepEqual(servers(), []);
  });
});
