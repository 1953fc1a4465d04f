/** The links in responses of `trawl serve` work. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "#test/support/eventually";
import { repo, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";

test("each search result links to a page of its file, and the links of the page work", async () => {
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
    // A page does not wait long for its colors. The next one has them.
    await eventually(async () =>
      (await (await fetch(files[0]?.webUrl ?? "")).text()).includes('<span class="hljs-'),
    );
    for (const { webUrl } of repositoryInfo) assert.equal((await fetch(webUrl)).status, 200, webUrl);
    // The page of an uncommitted file explains why it is empty.
    repository.write("draft.ts", "needle\n");
    const draft = await eventually(async () => (await served.search("needle f:draft")).files[0]);
    const page = await fetch(draft.webUrl);
    assert.deepEqual([page.status, /Uncommitted files have no page/.test(await page.text())], [404, true]);
  } finally {
    await served.stop();
  }
});
