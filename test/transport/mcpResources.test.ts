import assert from "node:assert/strict";
import { test } from "node:test";
import type { Send } from "#agents/tool";
import { readResource } from "#transport/mcp/resources";

const maxBytes = 4 * 1024 * 1024;
const sendText = (source: string) => (async () => ({ source })) as unknown as Send;

test("a resource of more than 4 MiB is refused, with the tool that reads a part", async () => {
  const uri = "trawl://r@main/a.txt";
  const { contents } = await readResource(sendText("é".repeat(maxBytes / 2)), uri);
  assert.equal(contents[0]?.text.length, maxBytes / 2);
  const tooLarge = readResource(sendText("é".repeat(maxBytes / 2 + 1)), uri);
  await assert.rejects(tooLarge, { code: "ANSWER_TOO_LARGE", message: /tool "read" and lines/ });
});
