/** `trawl cluster add`, which changes a configuration file that people write by hand. */
import assert from "node:assert/strict";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readConfigurationFile } from "#instance/configuration";
import { temporaryFolder } from "#test/support/repo";
import { trawl } from "#test/support/trawl";
import { type ZoektDouble, zoektDouble } from "#test/support/zoektDouble";

const file = join(temporaryFolder(), "trawl.jsonc");
const text = `{
  // The first node.
  "engine": {
    "zoekt": {
      "nodes": [
        { "name": "a", "url": "http://127.0.0.1:1", "hasIndexer": true, "indexFolder": "/var/lib/zoekt" } // old
      ],
      "replicas": 2
    }
  }
}
`;
let node: ZoektDouble;
before(async () => {
  node = await zoektDouble([]);
});
after(() => node.stop());

const add = (...args: string[]) => trawl(["cluster", "add", ...args, "--config", file]);
const write = () => {
  writeFileSync(file, text);
  chmodSync(file, 0o640);
};

test("a node is added, and comments and permissions stay", async () => {
  write();
  const { code, stdout, stderr } = await add(
    "b",
    "--url",
    node.url,
    "--index-folder",
    "/srv/zoekt",
    "--weight",
    "2",
  );
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^Node b is in .*trawl\.jsonc\. Next:\n1\. Copy/);
  const changed = readFileSync(file, "utf8");
  assert.match(changed, /\/\/ The first node\.\n[\s\S]*\/\/ old\n/);
  assert.equal(statSync(file).mode & 0o777, 0o640);
  const { engine } = readConfigurationFile(file);
  assert.deepEqual(engine?.zoekt.nodes[1], {
    name: "b",
    url: node.url,
    indexFolder: "/srv/zoekt",
    hasIndexer: true,
    weight: 2,
  });
  assert.equal(engine?.zoekt.replicas, 2);
});

for (const [name, args, message] of [
  [
    "a known name",
    () => ["a", "--url", node.url, "--index-folder", "/x"],
    /"engine\.zoekt\.nodes\[1\]\.name" is the same as that of another node/,
  ],
  [
    "a URL that is none",
    () => ["b", "--url", "nonsense", "--index-folder", "/x"],
    /"engine\.zoekt\.nodes\[1\]\.url"/,
  ],
  [
    "a name with a space",
    () => ["b c", "--url", node.url, "--index-folder", "/x"],
    /engine\.zoekt\.nodes\[1\]\.name|nodes\[1\]\.name/,
  ],
  ["no URL", () => ["b", "--index-folder", "/x"], /cluster add requires --url and --index-folder/],
  [
    "a relative folder",
    () => ["b", "--url", node.url, "--index-folder", "x"],
    /--index-folder must be an absolute path, not "x"/,
  ],
  [
    "a server that is no Zoekt node",
    () => {
      node.handle = (_request, response) => response.end("<html>");
      return ["b", "--url", node.url, "--index-folder", "/x"];
    },
    /Node b returned no list of repositories\. Start "zoekt-webserver -rpc"/,
  ],
  [
    "a node that does not respond",
    () => ["b", "--url", "http://127.0.0.1:1/x", "--index-folder", "/x"],
    /Node b cannot be reached.*Start "zoekt-webserver -rpc"/,
  ],
] as const)
  test(`the file does not change for ${name}`, async () => {
    write();
    const { code, stderr } = await add(...args());
    assert.notEqual(code, 0);
    assert.match(stderr, message);
    assert.equal(readFileSync(file, "utf8"), text);
  });
