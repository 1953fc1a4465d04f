import assert from "node:assert/strict";
import { test } from "node:test";
import { type Agent, agents, guide, withGuide } from "#client/endpoint/agentGuide";

const options = { url: "http://127.0.0.1:4878", repository: "host/o/r" };
const otherPort = { ...options, url: "http://127.0.0.1:4999" };

function agent(id: string): Agent {
  const found = agents.find((each) => each.id === id);
  assert.ok(found !== undefined, id);
  return found;
}

test("the guide contains no key, and every call names its variable", () => {
  const text = guide(options);
  assert.doesNotMatch(text, /trwl_/);
  const calls = text.split("\n").filter((line) => line.startsWith("    curl "));
  assert.equal(calls.length, 5);
  for (const call of calls) {
    assert.match(call, / -H "Authorization: Bearer \$TRAWL_API_KEY"$/);
    assert.ok(call.includes(options.url), call);
  }
});

test("a new file consists of the agent's head and the guide", () => {
  assert.equal(withGuide(undefined, agent("claude"), options), guide(options));
  assert.equal(withGuide(" \n", agent("claude"), options), guide(options));
  assert.match(
    withGuide(undefined, agent("cursor"), options),
    /^---\ndescription: .*\nalwaysApply: true\n---\n\n<!-- trawl/,
  );
});

test("an existing file keeps its text, and an earlier guide is replaced in place", () => {
  const own = "# Rules\n\nBe kind.\n\n\n";
  const once = withGuide(own, agent("codex"), options);
  assert.equal(once, `# Rules\n\nBe kind.\n\n${guide(options)}`);
  assert.equal(withGuide(once, agent("codex"), options), once);
  const more = `${once}\nAnd quick.\n`;
  assert.equal(withGuide(more, agent("codex"), otherPort), more.replaceAll("4878", "4999"));
});

test("a guide without its end marker is not replaced", () => {
  const torn = guide(options).slice(0, 200);
  assert.equal(withGuide(torn, agent("codex"), options), `${torn.trimEnd()}\n\n${guide(options)}`);
});
