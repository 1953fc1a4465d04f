import assert from "node:assert/strict";
import { test } from "node:test";
import { importCycles, importsOf, mayImport, roomOf, serverSources } from "#test/support/house";

/** Imports everything, and no room imports it. */
const entry = "entry";

/** The rooms that choose the engine and the database. */
const composing = ["instance", entry];

/** Rooms that only compute. */
const pure = ["base", "contract", "model", "query"];

/** Modules that are wrapped, with the paths below `server/` that may import them. */
const wrapped: Readonly<Record<string, readonly string[]>> = {
  "node:child_process": ["src/platform/process.ts"],
  "node:worker_threads": [
    "src/platform/processLock.ts",
    "src/platform/serveTask.ts",
    "src/platform/workerThread.ts",
  ],
  undici: ["src/platform/"],
  kysely: ["src/store/"],
  pg: ["src/store/postgres.ts", "src/store/postgresSessions.ts"],
  "node-sqlite3-wasm": ["src/store/embeddedTask.ts"],
  fastify: ["src/transport/http/"],
  "@opentelemetry/api": ["src/platform/tracing.ts"],
  "web-tree-sitter": ["src/symbols/"],
  "vscode-languageserver": ["src/transport/lsp/"],
  "vscode-languageserver/node": ["src/transport/lsp/"],
};

const files = serverSources();

test("the import parser finds every form", () => {
  const text = `import a from "one";\nimport {\n  b,\n} from "two";\nimport type { C } from "three";\nimport "four";\nexport { d } from "five";\nconst e = await import("six");\nconst from = "seven";`;
  assert.deepEqual(importsOf(text), ["one", "two", "three", "four", "five", "six"]);
});

test("import cycles are found", () => {
  const sources = [
    { path: "src/a/one.ts", imports: ["./two", "node:fs"] },
    { path: "src/a/two.ts", imports: ["#b/three"] },
    { path: "src/b/three.ts", imports: ["#a/one", "#contract/four"] },
    { path: "contract/four.ts", imports: ["./four"] },
  ];
  assert.deepEqual(importCycles(sources), [
    "src/a/one.ts > src/a/two.ts > src/b/three.ts > src/a/one.ts",
    "contract/four.ts > contract/four.ts",
  ]);
});

test("no files import each other in a cycle, not even types", () => {
  assert.deepEqual(importCycles(files), []);
});

test("the table has a row for each room, and no other", () => {
  const rooms = new Set(files.map(({ room }) => room));
  assert.deepEqual([...rooms].sort(), [...Object.keys(mayImport), entry].sort());
});

for (const room of Object.keys(mayImport)) {
  test(`${room} imports only what its row allows`, () => {
    const allowed = [room, ...(mayImport[room] ?? "").split(" ")];
    const isAllowed = (other: string) =>
      allowed.some((each) => other === each || (isInside(other, each) && !isInside(`${room}/`, each)));
    const wrong = files
      .filter((file) => file.room === room)
      .flatMap(({ path, imports }) =>
        imports
          .filter((name) => name.startsWith("#") && !isAllowed(roomOf(name.slice(1))))
          .map((name) => `${path}: ${name}`),
      );
    assert.deepEqual(wrong, []);
  });
}

test("imports across rooms use names", () => {
  const wrong = files.filter(({ imports }) => imports.some((name) => name.startsWith("..")));
  assert.deepEqual(paths(wrong), []);
});

test("pure rooms do not use Node", () => {
  const wrong = files.filter(
    ({ room, imports, text }) =>
      pure.includes(room.split("/")[0] ?? "") &&
      (imports.some((name) => name.startsWith("node:")) || /\bprocess\./.test(code(text))),
  );
  assert.deepEqual(paths(wrong), []);
});

test("pure rooms read no clock and no random numbers", () => {
  const impure = /\bDate\.now\b|\bnew Date\(\)|\bperformance\.|\bMath\.random\b|\bcrypto\./;
  const wrong = files.filter(
    ({ room, text }) => pure.includes(room.split("/")[0] ?? "") && impure.test(code(text)),
  );
  assert.deepEqual(paths(wrong), []);
});

for (const [name, wrappers] of Object.entries(wrapped)) {
  test(`${name} is wrapped in ${wrappers.join(" and ")}`, () => {
    const wrong = files.filter(
      ({ path, imports }) => imports.includes(name) && !wrappers.some((wrapper) => path.startsWith(wrapper)),
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

test("only transport listens", () => {
  const wrong = files.filter(
    ({ room, text }) => room !== "transport" && /\bcreate(?:Secure)?Server\(/.test(code(text)),
  );
  assert.deepEqual(paths(wrong), []);
});

/** The only files that write content to disk. */
const writers = ["src/platform/files.ts", "src/platform/lock.ts", "src/store/embeddedTask.ts"];

test(`only ${writers.join(", ")} write files`, () => {
  const calls =
    /\b(?:writeFileSync|writeSync|appendFile\w*|createWriteStream|renameSync|linkSync|symlinkSync|copyFileSync|cpSync|f?truncateSync)\(|\bopenSync\([^)]*"(?:[aw]|r\+)/;
  const promises =
    /\{[^}]*\b(?:writeFile|appendFile|rename|open|copyFile|cp|link|symlink|truncate)\b[^}]*\} from "node:fs\/promises"/;
  const isWriting = (text: string) => calls.test(text) || promises.test(text);
  const wrong = files.filter(({ path, text }) => !writers.includes(path) && isWriting(code(text)));
  assert.deepEqual(paths(wrong), []);
});

test("only platform/environment.ts reads the environment", () => {
  const wrong = files.filter(
    ({ path, text }) => path !== "src/platform/environment.ts" && /\bprocess\.env\b/.test(code(text)),
  );
  assert.deepEqual(paths(wrong), []);
});

test("no file combines a timeout with another signal; platform/timeLimit.ts explains why", () => {
  const combined = /\bAbortSignal\.any\([^;]*\bAbortSignal\.timeout\b/;
  assert.deepEqual(paths(files.filter(({ text }) => combined.test(code(text)))), []);
});

/** The only files of `shard/` that access the disk. */
const directoryFiles = ["src/shard/directory/directory.ts", "src/shard/directory/manifestFiles.ts"];

test(`in shard, only ${directoryFiles.join(" and ")} touch the disk`, () => {
  const wrong = files.filter(
    ({ path, room, imports }) =>
      room.startsWith("shard/") &&
      !directoryFiles.includes(path) &&
      imports.some((name) => /^(node:)?fs\b/.test(name)),
  );
  assert.deepEqual(paths(wrong), []);
});

test("only instance and entry import the embedded engine", () => {
  const wrong = files.filter(
    ({ room, imports }) =>
      !composing.includes(room) &&
      !room.startsWith("engine") &&
      imports.some((name) => /^#engine\/\w+\//.test(name)),
  );
  assert.deepEqual(paths(wrong), []);
});

test("only instance and entry import the databases", () => {
  const wrong = files.filter(
    ({ room, imports }) =>
      !composing.includes(room) &&
      imports.some((name) => /^#store\/(?:embedded|embeddedTask|postgres)$/.test(name)),
  );
  assert.deepEqual(paths(wrong), []);
});

function isInside(room: string, outer: string): boolean {
  return room.startsWith(`${outer}/`);
}

function paths(wrong: readonly { readonly path: string }[]): string[] {
  return wrong.map(({ path }) => path);
}

/** Removes comments, which may mention anything. */
function code(text: string): string {
  return text.replace(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs, "");
}
