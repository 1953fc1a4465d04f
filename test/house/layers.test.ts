import assert from "node:assert/strict";
import { test } from "node:test";
import { importsOf, serverSources } from "#test/support/house";

/** The house, ground floor first: what each room may import. A room not named here may not exist. */
const mayImport: Readonly<Record<string, string>> = {
  base: "",
  contract: "base",
  model: "base",
  platform: "base",
  languages: "base model",
  query: "base model languages",
  kernels: "",
  shard: "base platform model query kernels",
  catalogue: "base platform model",
  git: "base platform model",
  store: "base platform model",
  symbols: "base platform model",
  engine: "base platform model query kernels shard symbols",
  indexing: "base platform model git shard languages symbols",
  overlay: "base platform model git shard languages",
  sync: "base platform model git shard catalogue indexing overlay symbols",
  access: "base contract platform model store",
  remote: "contract base platform",
  service:
    "contract base platform model query languages symbols git catalogue store engine overlay sync access",
  transport: "contract base platform model access service remote",
  cli: "contract base platform model access service remote",
};

/** Entries wire everything, and nobody imports them. */
const entry = "entry";

/** Rooms that compute and nothing else. */
const pure = ["base", "contract", "model", "query"];

/** What is wrapped once: module, and where below `server/` it may be imported. */
const wrapped: Readonly<Record<string, readonly string[]>> = {
  "node:child_process": ["src/platform/process.ts"],
  "node:worker_threads": ["src/platform/workers.ts"],
  undici: ["src/platform/"],
  kysely: ["src/store/"],
  pg: ["src/store/postgres.ts"],
  "node-sqlite3-wasm": ["src/store/embeddedTask.ts"],
  fastify: ["src/transport/http/"],
  "web-tree-sitter": ["src/symbols/"],
  "vscode-languageserver": ["src/transport/lsp/"],
  "vscode-languageserver/node": ["src/transport/lsp/"],
};

const files = serverSources();

test("the reader of imports sees every form", () => {
  const text = `import a from "one";\nimport {\n  b,\n} from "two";\nimport type { C } from "three";\nimport "four";\nexport { d } from "five";\nconst e = await import("six");\nconst from = "seven";`;
  assert.deepEqual(importsOf(text), ["one", "two", "three", "four", "five", "six"]);
});

test("there are as many rooms as the table names", () => {
  const rooms = new Set(files.map(({ room }) => room));
  assert.deepEqual([...rooms].sort(), [...Object.keys(mayImport), entry].sort());
});

for (const room of Object.keys(mayImport)) {
  test(`${room} imports what it may`, () => {
    const allowed = new Set([room, ...(mayImport[room] ?? "").split(" ")]);
    const wrong = files
      .filter((file) => file.room === room)
      .flatMap(({ path, imports }) =>
        imports
          .filter((name) => name.startsWith("#") && !allowed.has(name.slice(1).split("/")[0] ?? ""))
          .map((name) => `${path}: ${name}`),
      );
    assert.deepEqual(wrong, []);
  });
}

test("rooms are crossed by name", () => {
  const wrong = files.filter(({ imports }) => imports.some((name) => name.startsWith("..")));
  assert.deepEqual(paths(wrong), []);
});

test("pure rooms know no Node", () => {
  const wrong = files.filter(
    ({ room, imports, text }) =>
      pure.includes(room) &&
      (imports.some((name) => name.startsWith("node:")) || /\bprocess\./.test(code(text))),
  );
  assert.deepEqual(paths(wrong), []);
});

for (const [name, places] of Object.entries(wrapped)) {
  test(`${name} is wrapped in ${places.join(" and ")}`, () => {
    const wrong = files.filter(
      ({ path, imports }) => imports.includes(name) && !places.some((place) => path.startsWith(place)),
    );
    assert.deepEqual(paths(wrong), []);
  });
}

test("only transport and platform/http.ts import values of node:http", () => {
  const values = /(?:^|\n)import (?!type\b)[^;"']*from "node:https?"/;
  const wrong = files.filter(
    ({ path, room, text }) => room !== "transport" && path !== "src/platform/http.ts" && values.test(text),
  );
  assert.deepEqual(paths(wrong), []);
});

test("only platform/settings.ts reads the environment", () => {
  const wrong = files.filter(
    ({ path, text }) => path !== "src/platform/settings.ts" && /\bprocess\.env\b/.test(code(text)),
  );
  assert.deepEqual(paths(wrong), []);
});

/** The directory of shards: its files alone know that shards lie on a disk. */
const directoryFiles = ["src/shard/directory.ts", "src/shard/manifestFiles.ts"];

test(`in shard, only ${directoryFiles.join(" and ")} touch the disk`, () => {
  const wrong = files.filter(
    ({ path, room, imports }) =>
      room === "shard" &&
      !directoryFiles.includes(path) &&
      imports.some((name) => /^(node:)?fs\b/.test(name)),
  );
  assert.deepEqual(paths(wrong), []);
});

test("the embedded engine is named in entries alone", () => {
  const wrong = files.filter(
    ({ room, imports }) =>
      room !== entry && room !== "engine" && imports.some((name) => /^#engine\/\w+\//.test(name)),
  );
  assert.deepEqual(paths(wrong), []);
});

test("the databases are named in entries alone", () => {
  const wrong = files.filter(
    ({ room, imports }) =>
      room !== entry && imports.some((name) => /^#store\/(?:embedded|embeddedTask|postgres)$/.test(name)),
  );
  assert.deepEqual(paths(wrong), []);
});

function paths(wrong: readonly { readonly path: string }[]): string[] {
  return wrong.map(({ path }) => path);
}

/** Without comments, which may speak of anything. */
function code(text: string): string {
  return text.replace(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs, "");
}
