/** Checks the structured content of tools. */
import assert from "node:assert/strict";
import { estimateTokens } from "#agents/printListing";
import { defaultMaxTokens } from "#agents/tool";
import { tools } from "#agents/tools";

interface StructuredContent {
  readonly total: number;
  readonly omitted: number;
  readonly cursor?: string;
  readonly files?: readonly { readonly lines?: readonly { readonly text: string }[] }[];
  readonly items?: readonly object[];
}

/**
 * Asserts that the content has only the fields of the tool's schema, keeps to the budget, and contains as many lines and
 * items as it says and as the text shows. Returns the number of these.
 */
export function checkStructuredContent(
  tool: string,
  content: object,
  text: string,
  maxTokens = defaultMaxTokens,
): number {
  const json = JSON.stringify(content);
  assert.ok(estimateTokens(json) <= maxTokens, `${estimateTokens(json)} tokens: ${json}`);
  const sent: StructuredContent = JSON.parse(json);
  // Parsing drops unknown fields.
  assert.deepEqual(tools.find(({ name }) => name === tool)?.output.parse(sent), sent);
  const { files = [], items = [], total, omitted, cursor } = sent;
  const lines = files.flatMap((file) => file.lines ?? [{ text: "" }]);
  const shown = lines.length + items.length;
  assert.equal(/(?<=cursor ")\S+(?=")/.exec(text)?.[0], cursor);
  assert.equal(Number(/\n\((\d+) more lines?\./.exec(text)?.[1] ?? 0), omitted);
  assert.ok(shown + omitted <= total);
  for (const line of lines) assert.ok(text.includes(line.text.slice(0, 100)), line.text);
  return shown;
}
