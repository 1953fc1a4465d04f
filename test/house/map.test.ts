import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot, serverSources } from "#test/support/house";

test("every room is on the map of server/README.md", () => {
  const map = readFileSync(join(projectRoot(), "server/README.md"), "utf8");
  const missing = new Set(serverSources().flatMap(({ room }) => (map.includes(`${room}/`) ? [] : [room])));
  assert.deepEqual([...missing], []);
});
