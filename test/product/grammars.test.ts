/** Grammars in the built server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { repo, temporaryFolder } from "#test/support/repo";
import { trawl } from "#test/support/trawl";

/** Optimizing a function of this size can take gigabytes. */
const largeBytes = 100_000;

test("the lexer of a large grammar is not optimized", async () => {
  const folder = temporaryFolder();
  const line = (at: number) => `| f${at}() { local x="$1"; [ -n "$x" ] && echo "\${x%.*}" > /dev/null; }\n`;
  const script = Array.from({ length: 1500 }, (_, at) => line(at)).join("");
  const files = Array.from({ length: 40 }, (_, at) => `${at}.sh\n${script}`);
  repo(`= main: One\n${files.join("")}`, { path: folder });
  const { code, stdout } = await trawl(
    ["index", "--data-dir", join(temporaryFolder(), "data"), folder],
    folder,
    { nodeFlags: ["--trace-wasm-compilation-times"] },
  );
  assert.equal(code, 0);
  const large = [...stdout.matchAll(/using (\w+), .* bodysize (\d+)/g)]
    .filter(([, , bytes]) => Number(bytes) >= largeBytes)
    .map(([, compiler]) => compiler);
  assert.deepEqual([...new Set(large)], ["Liftoff"]);
});
