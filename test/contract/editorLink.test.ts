import assert from "node:assert/strict";
import { test } from "node:test";
import { URI } from "vscode-uri";
import { editorLink, parseEditorLink } from "#contract/editorLink";

const commit = "0123456789abcdef".repeat(3).slice(0, 40);

test("a link has any name and path, and leads to the first of its lines", () => {
  const paths = ["a.ts", "a b/ä&c=d.ts", "100%.md", "%41#?.txt", "+/\\'\"<x>\n.txt"];
  for (const path of paths) {
    for (const repo of ["shop", "git.example.com/a/b@c", "ü+%20"]) {
      for (const sha of [commit, ""]) {
        const file = { repo, commit: sha, path };
        assert.deepEqual(parseEditorLink(URI.parse(editorLink(file))), { ...file, line: 1 });
        assert.deepEqual(parseEditorLink(URI.parse(`${editorLink(file)}#L12-L20`)), { ...file, line: 12 });
      }
    }
  }
});

test("anything else is no link to a file", () => {
  const wrong = [
    "vscode://trawl.trawl/open",
    "vscode://trawl.trawl/open?repo=a&path=b",
    "vscode://trawl.trawl/run?%7B%22repo%22%3A%22a%22%2C%22commit%22%3A%22%22%2C%22path%22%3A%22b%22%7D",
    `vscode://trawl.trawl/open?${encodeURIComponent('{"repo":"a","commit":"--upload-pack=x","path":"b"}')}`,
    `vscode://trawl.trawl/open?${encodeURIComponent('{"repo":1,"commit":"","path":"b"}')}`,
    `vscode://trawl.trawl/open?${encodeURIComponent(`{"repo":"a","commit":"","path":"${"b".repeat(20_000)}"}`)}`,
  ];
  for (const link of wrong) assert.equal(parseEditorLink(URI.parse(link)), undefined, link);
});
