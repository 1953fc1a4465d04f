/** The endpoints for those who operate a server: metrics and probes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "#base/error";
import type { Caller } from "#contract/service";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

async function withListener(
  caller: Caller,
  work: (listener: TestListener) => Promise<void>,
  anonymous: "on" | "off" = "on",
): Promise<void> {
  const listener = await openListener(caller, { anonymous });
  try {
    await work(listener);
  } finally {
    await listener.close();
  }
}

const caller = callerOf({ repositories: viewOf([repository(1, "github.com/o/r")]) });

/** Parses Prometheus' text format, strictly. */
function parseMetrics(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of text.trimEnd().split("\n")) {
    if (line === "" || /^# (HELP|TYPE) [a-z_]+ \S/.test(line)) continue;
    const [, name = "", value = ""] =
      /^([a-z_]+(?:\{(?:[a-z_]+="[^"\\]*",?)*\})?) (\S+)$/.exec(line) ?? assert.fail(line);
    assert.ok(!values.has(name), name);
    values.set(name, Number(value));
  }
  return values;
}

test("requests are counted by operation and error code", async () => {
  await withListener(caller, async ({ url }) => {
    const search = (query: string) =>
      fetch(`${url}/api/search`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query }),
      });
    await search("found");
    await search("found");
    await search("lang:");
    const response = await fetch(`${url}/metrics`);
    assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    const metrics = parseMetrics(await response.text());
    assert.equal(metrics.get('trawl_requests_total{operation="search",code="OK"}'), 2);
    assert.equal(metrics.get('trawl_requests_total{operation="search",code="FAILED_TO_PARSE_QUERY"}'), 1);
    assert.equal(metrics.get('trawl_request_duration_seconds_count{operation="search"}'), 3);
    assert.equal(metrics.get('trawl_requests_running{queue="other"}'), 1, "the scrape itself");
    assert.ok((metrics.get("process_resident_memory_bytes") ?? 0) > 1e6);
    const again = parseMetrics(await (await fetch(`${url}/metrics`)).text());
    assert.equal(again.get('trawl_requests_total{operation="metrics",code="OK"}'), 1);
  });
});

test("metrics require credentials where searches do, and probes never do", async () => {
  await withListener(
    caller,
    async ({ url }) => {
      const statuses = ["/metrics", "/livez", "/readyz"].map(
        async (path) => (await fetch(url + path)).status,
      );
      assert.deepEqual(await Promise.all(statuses), [401, 200, 200]);
    },
    "off",
  );
});

test("a process whose leader does not respond is alive, but not ready", async () => {
  const fails: Caller = async () => {
    throw new ServiceError("ENGINE_UNAVAILABLE", "Cannot connect.");
  };
  await withListener(fails, async ({ url }) => {
    assert.equal((await fetch(`${url}/livez`)).status, 200);
    const response = await fetch(`${url}/readyz`);
    assert.equal(response.status, 503);
    assert.equal(await response.text(), "The leader does not respond.\n");
  });
});
