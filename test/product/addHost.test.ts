/** Code hosts that are added in an editor: checked, stored, applied at once, and known to the next process. */
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { CodeHostPlan, CodeHostStatus } from "#contract/codeHosts";
import type { RepositoryItem } from "#contract/repositories";
import type { Page } from "#contract/service";
import { openEditor } from "#test/support/editor";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { gitServer } from "#test/support/gitServer";
import { temporaryFolder } from "#test/support/repo";
import { trawl } from "#test/support/trawl";

test("a connection is checked, added, reloaded and removed, without a restart", async (t) => {
  const host = await gitServer(t);
  for (const name of ["shop", "tools"]) host.create(`acme/${name}`);
  const dataDir = join(temporaryFolder(), "data");
  const editor = await openEditor(dataDir, { folders: [] }, t);
  const names = async () =>
    (await editor.call<Page<RepositoryItem>>("repos")).items.map(
      ({ repoName, state }) => `${repoName.replace(/^.*?\//, "")} ${state}`,
    );
  const add = (name: string, settings: object) => editor.call("addCodeHost", { name, settings });
  const statuses = () => editor.call<readonly CodeHostStatus[]>("codeHosts");
  const settings = {
    type: "genericGitHost",
    url: host.origin,
    allowHttp: true,
    include: { repos: ["acme/shop.git"] },
  };

  // Nothing is listed, so that one repository is tried.
  host.credentials = { user: "svc", password: "right" };
  const refused = await editor.call<CodeHostPlan>("checkCodeHost", { name: "work", settings });
  assert.deepEqual(
    refused.problems.map(({ scope }) => scope),
    ["repo:acme/shop"],
  );
  assert.match(refused.problems[0]?.message ?? "", /^git ls-remote of .* failed/);
  host.credentials = undefined;
  const plan = await editor.call<CodeHostPlan>("checkCodeHost", { name: "work", settings });
  assert.deepEqual([plan.added, plan.problems], [["acme/shop"], []]);
  assert.deepEqual(await statuses(), []);
  await assert.rejects(add("work", { ...settings, url: "http://u:p@example.com" }), (error: Error) => {
    assert.match(error.message, /"connections\.work\.url" must be a URL/);
    assert.doesNotMatch(error.message, /u:p/);
    return true;
  });
  await assert.rejects(add("../up", settings), /The name must be/);

  await add("work", settings);
  await eventuallyEqual(names, ["acme/shop ready"]);
  await assert.rejects(add("work", settings), /already a connection "work"/);
  const file = join(dataDir, "connections.jsonc");
  assert.equal((await statuses())[0]?.file, file);
  assert.equal(statSync(file).mode & 0o077, 0);

  // A person edits the file.
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace('"acme/shop.git"', '"acme/shop.git", "acme/tools.git" // and tools\n'));
  await editor.call("reloadCodeHosts");
  await eventuallyEqual(names, ["acme/shop ready", "acme/tools ready"]);
  writeFileSync(file, text.replace('"genericGitHost"', '"genericGitHosts"'));
  await assert.rejects(editor.call("reloadCodeHosts"), /connections\.work\.type" must be one of "github"/);
  assert.deepEqual(await names(), ["acme/shop ready", "acme/tools ready"]);
  await editor.close();

  // At the start, a damaged file stops nothing, and its mirrors stay.
  const damaged = await openEditor(dataDir, { folders: [] }, t);
  const { items } = await damaged.call<Page<RepositoryItem>>("repos");
  assert.deepEqual(
    items.map(({ repoName }) => repoName.replace(/^.*?\//, "")),
    ["acme/shop", "acme/tools"],
  );
  assert.deepEqual(await damaged.call("codeHosts"), []);
  await damaged.close();
  writeFileSync(file, text);

  const index = await trawl(["index", "--data-dir", dataDir]);
  assert.match(index.stderr, /index requires a PATH\. .*run "trawl hosts sync"/);
  const status = await trawl(["hosts", "status", "--data-dir", dataDir]);
  assert.match(status.stdout, /^work\n {2}genericGitHost http:/);
  const next = await openEditor(dataDir, { folders: [] }, t);
  await eventually(async () => {
    const [found] = await next.call<readonly CodeHostStatus[]>("codeHosts");
    return found?.name === "work" && found.counts.mirrored > 0;
  });
  writeFileSync(file, '{ "connections": {} }');
  await next.call("reloadCodeHosts");
  await eventuallyEqual(
    async () => (await next.call<Page<RepositoryItem>>("repos")).items.map(({ repoName }) => repoName),
    [],
  );
});
