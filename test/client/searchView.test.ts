/** The search view, with a fake page and a fake server. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { SearchView } from "#client/box/searchView";
import { memoryMemento } from "#test/support/memoryMemento";
import { EventEmitter, executed, settings, Uri } from "#test/support/vscode";
import type { BoxParts, FromBox, ToBox } from "#webview/messages";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  for (const name of ["media/search.css", "dist/webview/search.js"]) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), "");
  }
  Object.assign(settings, {
    "repositories.autoDiscover": "siblings",
    "search.caseSensitivity": "smart",
    "search.scope": "all",
    "search.revisions": "head",
  });
  executed.length = 0;
});

afterEach(() => rmSync(folder, { recursive: true }));

const sibling = (path: string) => ({ path, sizeBytes: 1 });

/** Opens the view. `readQuery` parses queries. */
function openView(readQuery: (query: string) => unknown = () => ({ filters: [], problems: [] })) {
  const received = new EventEmitter();
  const repositoriesChanged = new EventEmitter();
  const added: unknown[] = [];
  const service = {
    onState: new EventEmitter().event,
    state: "running",
    call: async (operation: string, request: { readonly query: string; readonly paths: unknown }) => {
      if (operation === "readQuery") return await readQuery(request.query);
      if (operation === "addPaths") added.push(request.paths);
      return { repositories: [{}], queries: [] };
    },
  } as never;
  const repositories = {
    items: new Map(),
    clones: new Map(),
    siblings: [sibling("/a"), sibling("/b")],
    onChange: repositoriesChanged.event,
    load: async () => undefined,
    reload: async () => undefined,
  };
  const memento = memoryMemento();
  const view = new SearchView({
    extensionUri: new Uri(folder) as never,
    service,
    searches: { onChange: new EventEmitter().event, run: () => undefined, clear: () => undefined } as never,
    repositories: repositories as never,
    teamServer: { state: { state: "off" } },
    history: { entries: [] } as never,
    memento,
  });
  const shown: Partial<BoxParts> = {};
  const postMessage = async (message: ToBox) => {
    if (message.kind === "show") Object.assign(shown, message.parts);
    return true;
  };
  const webview = { onDidReceiveMessage: received.event, postMessage };
  view.resolveWebviewView({ webview, visible: true, onDidDispose: () => undefined } as never);
  const send = async (message: FromBox) => {
    received.fire(message);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  };
  return { view, send, shown, added, repositories, repositoriesChanged };
}

test("only the sibling repositories that are offered are indexed", async () => {
  const { send, added, repositories } = openView();
  await send({ kind: "command", id: "repos.dismissSiblings" });
  repositories.siblings = [...repositories.siblings, sibling("/c")];
  await send({ kind: "command", id: "repos.indexSiblings" });
  assert.deepEqual(added, [["/c"]]);
});

test("VS Code's search gets the text as it is in the box, if the service does not respond", async () => {
  const responses = [{ filters: [{ prefix: "lang", value: "go", isNegated: false, offset: 0, length: 7 }] }];
  const { view } = openView(() => {
    const interpretation = responses.pop();
    if (interpretation === undefined) throw new Error("gone");
    return { ...interpretation, problems: [] };
  });
  await view.show({ query: "lang:go foo" });
  await view.show({ query: "something else" });
  await view.commands["search.inEditor"]();
  const [command, search] = executed.at(-1) ?? [];
  assert.equal(command, "workbench.action.findInFiles");
  assert.equal((search as { readonly query: string }).query, "something else");
});

test("case is treated as the setting says while Match Case is off", async () => {
  for (const [preferred, expected] of [
    ["smart", "smart"],
    ["insensitive", "insensitive"],
    ["sensitive", "insensitive"],
  ] as const) {
    settings["search.caseSensitivity"] = preferred;
    const { send, shown } = openView();
    await send({ kind: "ready" });
    assert.equal(shown.pickers?.caseOff, expected);
  }
});

test("the results are shown again only if the welcome text or the width has changed", async () => {
  const { view, send, repositories, repositoriesChanged } = openView();
  await send({ kind: "ready" });
  await send({ kind: "resized", columns: 40 });
  let changes = 0;
  view.onChange(() => changes++);
  const state = { ...view.state, query: "f" };
  await send({ kind: "resized", columns: 40 });
  repositoriesChanged.fire();
  assert.equal(changes, 0);
  await view.show(state);
  assert.equal(changes, 1);
  await view.show({ query: "fo" });
  assert.equal(changes, 1);
  await view.show({ query: "" });
  repositories.siblings = [];
  repositoriesChanged.fire();
  assert.equal(changes, 3);
  await send({ kind: "resized", columns: 39 });
  assert.equal(changes, 4);
});
