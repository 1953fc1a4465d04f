/** What `trawl serve` links to is there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { repo, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";

test("each result of a search leads to the page of its file, and on from there", async () => {
  const repository = repo(`
    = main: First
    src/needle one.ts
    | export const needle = "1 < 2";
    README.md
    | # The needle
    = feature/a@b from main: Second
    src/other.py
    | needle = 1
    tag v1
  `);
  const served = await serve(temporaryFolder(), [repository.path]);
  try {
    await served.ready();
    const { files, repositoryInfo } = await served.search("needle rev:*");
    assert.equal(files.length, 3);
    for (const { webUrl, fileName } of files) {
      const page = await fetch(`${webUrl}?blame=1`);
      const text = await page.text();
      assert.equal(page.status, 200, webUrl);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
      assert.ok(text.includes(`<title>${fileName.text} · `), text.slice(0, 300));
      assert.match(text, /<tr id="L1" class="first">.*needle/);
      const commit = /class="who"><a href="([^"]+)"/.exec(text)?.[1] ?? "";
      assert.equal((await fetch(commit)).status, 200, commit);
    }
    assert.match(await (await fetch(files[0]?.webUrl ?? "")).text(), /<span class="hljs-/);
    for (const { webUrl } of repositoryInfo) assert.equal((await fetch(webUrl)).status, 200, webUrl);
    // What was never committed is on no page yet, and the page says so.
    repository.write("draft.ts", "needle\n");
    for (let found = 0; found === 0; ) {
      const draft = (await served.search("needle f:draft")).files;
      found = draft.length;
      for (const { webUrl } of draft) {
        const page = await fetch(webUrl);
        assert.deepEqual([page.status, /not committed/.test(await page.text())], [404, true]);
      }
    }
  } finally {
    await served.stop();
  }
});
