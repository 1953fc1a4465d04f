/** A process applies its own rules on its port, even if another process without rules leads. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repo, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";

test("rules apply on the port of a follower", async () => {
  const [dataDir, folder] = [temporaryFolder(), temporaryFolder()];
  const [open, secret] = ["open", "secret"].map(
    (name) => repo(`= main: One\n${name}.txt\n| word`, { path: join(folder, name) }).path,
  );
  const file = join(folder, "trawl.json");
  const rules = { access: { repositories: [{ names: ["open"], anonymous: true }] } };
  writeFileSync(file, JSON.stringify(rules), { mode: 0o600 });
  const leader = await serve(dataDir, [open ?? "", secret ?? ""]);
  const namesOf = async ({ repositories }: typeof leader) =>
    (await repositories()).map(({ repoName }) => repoName);
  try {
    await leader.ready();
    const follower = await serve(dataDir, [], { flags: ["--config", file] });
    try {
      assert.deepEqual(await namesOf(leader), ["open", "secret"]);
      assert.deepEqual(await namesOf(follower), ["open"]);
      const { files } = await follower.search("word");
      assert.deepEqual(
        files.map(({ repository }) => repository),
        ["open"],
      );
      await leader.kill();
      assert.deepEqual(await namesOf(follower), ["open"], "also after it has taken over");
    } finally {
      await follower.stop();
    }
  } finally {
    await leader.kill();
  }
});
