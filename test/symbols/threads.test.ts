import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { symbolParsers } from "#symbols/parsing/parsers";
import { temporaryFolder } from "#test/support/repo";

/** A thread that exits or hangs on certain texts. Real grammars do so rarely, and not on demand. */
const script = join(temporaryFolder(), "worker.js");
writeFileSync(
  script,
  `const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ kind, call, input }) => {
  if (kind !== "call") return;
  const parsed = input.texts.map(({ content }) => {
    const word = Buffer.from(content).toString();
    if (word === "end") process.exit(1);
    while (word === "hang");
    return { kind: "parsed", definitions: [], imports: [word] };
  });
  parentPort.postMessage({ call, kind: "done", value: { parsed, mustReplaceThread: parsed.length === 1 } });
});`,
);

for (const harm of ["end", "hang"]) {
  test(`threads that ${harm} lose only one text each`, async () => {
    // Leaves enough time for a thread to start on a busy machine.
    const parsers = symbolParsers(script, 1, 2500);
    try {
      const words = ["a", harm, "b", "c", harm, "d"];
      const parsed = await parsers.symbols(
        words.map((word) => ({ language: "Go", content: Buffer.from(word) })),
      );
      const answers = parsed.map((each) => (each.kind === "parsed" ? each.imports[0] : each.reason));
      assert.deepEqual(answers, ["a", "crashed", "b", "c", "crashed", "d"]);
    } finally {
      await parsers.close();
    }
  });
}
