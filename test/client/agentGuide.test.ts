import assert from "node:assert/strict";
import { test } from "node:test";
import { type Agent, agents, guide, withGuide } from "#client/endpoint/agentGuide";

const facts = { address: "http://127.0.0.1:4878", repository: "host/o/r" };
const later = { ...facts, address: "http://127.0.0.1:4999" };

function agent(id: string): Agent {
  const found = agents.find((each) => each.id === id);
  assert.ok(found !== undefined, id);
  return found;
}

test("the text has no key, and names the variable in every call", () => {
  const text = guide(facts);
  assert.doesNotMatch(text, /trwl_/);
  const calls = text.split("\n").filter((line) => line.startsWith("    curl "));
  assert.equal(calls.length, 5);
  for (const call of calls) {
    assert.match(call, / -H "Authorization: Bearer \$TRAWL_API_KEY"$/);
    assert.ok(call.includes(facts.address), call);
  }
});

test("a file that is not there becomes the text, after what its agent begins such files with", () => {
  assert.equal(withGuide(undefined, agent("claude"), facts), guide(facts));
  assert.equal(withGuide(" \n", agent("claude"), facts), guide(facts));
  assert.match(
    withGuide(undefined, agent("cursor"), facts),
    /^---\ndescription: .*\nalwaysApply: true\n---\n\n<!-- trawl/,
  );
});

test("what stands in a file stays, and an earlier text is replaced where it stands", () => {
  const own = "# Rules\n\nBe kind.\n\n\n";
  const once = withGuide(own, agent("codex"), facts);
  assert.equal(once, `# Rules\n\nBe kind.\n\n${guide(facts)}`);
  assert.equal(withGuide(once, agent("codex"), facts), once);
  const more = `${once}\nAnd quick.\n`;
  assert.equal(withGuide(more, agent("codex"), later), more.replaceAll("4878", "4999"));
});

test("a text without its end is left alone", () => {
  const torn = guide(facts).slice(0, 200);
  assert.equal(withGuide(torn, agent("codex"), facts), `${torn.trimEnd()}\n\n${guide(facts)}`);
});
