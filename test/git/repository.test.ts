import assert from "node:assert/strict";
import { test } from "node:test";
import { repo } from "#test/support/repo";

test("a literal repository has fixed hashes", () => {
  const repository = repo(`
    = main: First
    README.md
    | # Title
    |
    | text
    src/run.sh [executable]
    | echo hi
    latest -> src/run.sh
    "caf\\303\\251" [no newline]
    | x
    = feature from main: Try something
    - README.md
    = main: Second
    data.bin [hex]
    | 00 ff 00
    = main merge feature: Merge
    tag v1
    tag v2: An annotated one
  `);
  assert.equal(
    repository.git("log", "--all", "--format=%s %p %D", "--date-order"),
    `Merge 838bc78 929eb91 HEAD -> main, tag: v2, tag: v1
Second e3fbd14 
Try something e3fbd14 feature
First  `,
  );
  assert.equal(
    repository.git("ls-tree", "-r", "--format=%(objectmode) %(path)", "feature"),
    `100644 "caf\\303\\251"
120000 latest
100755 src/run.sh`,
  );
  assert.equal(repository.git("status", "--porcelain"), "");
  repository.more(`
    = main: More
    z
    | z
  `);
  assert.equal(repository.git("log", "-2", "--format=%s"), "More\nMerge");
});
