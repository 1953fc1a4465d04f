/** What the client does with redirects, large and slow responses, cancellation, and concurrent calls. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { systemClock } from "#platform/clock";
import { eventually } from "#test/support/eventually";
import { dialectOf } from "./dialects";
import type { Answer } from "./fakeHost";
import { listOnly, never, withFake } from "./openFake";

const github = dialectOf("github");
const gitea = dialectOf("gitea");
const gitlab = dialectOf("gitlab");

async function withServer(listener: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

for (const dialect of [github, gitea, gitlab]) {
  test(`${dialect.type}: a repository that was renamed is found under its old path, and keeps its id`, async () => {
    const settings = { include: { repos: ["acme/old"] } };
    const repository = { id: 5, path: "acme/new" };
    await withFake(dialect, { settings, repositories: [repository] }, async (fake, host) => {
      fake.renamed.set("acme/old", repository);
      const listing = await listOnly(host);
      assert.equal(listing.scope, "repo:acme/old");
      assert.equal(listing.outcome, "complete");
      assert.deepEqual(
        listing.repositories.map(({ hostId, path }) => [hostId, path]),
        [["5", "acme/new"]],
      );
    });
  });
}

test("a redirect to another origin gets neither a request nor credentials", async () => {
  const received: unknown[] = [];
  const listener: RequestListener = (request, response) => {
    received.push(request.headers);
    response.end();
  };
  await withServer(listener, async (other) => {
    await withFake(github, { token: "right" }, async (fake, host) => {
      for (const location of [`${other}/api/v3/orgs/acme/repos`, other.replace("//", "//user:pass@")]) {
        fake.faults.splice(0, 1, { kind: "answer", status: 307, headers: { location } });
        const { outcome, problems } = await listOnly(host);
        assert.equal(outcome, "failed");
        assert.match(
          problems[0]?.message ?? "",
          new RegExp(`redirects to ${other}, which gets no credentials`),
        );
        assert.doesNotMatch(problems[0]?.message ?? "", /pass/);
      }
    });
  });
  assert.deepEqual(received, []);
});

test("redirects in circles end", async () => {
  await withFake(github, {}, async (fake, host) => {
    fake.faults.push({ kind: "answer", status: 302, headers: { location: "/api/v3/user" } });
    const { problems } = await listOnly(host);
    assert.match(problems[0]?.message ?? "", /redirects in circles/);
    assert.equal(fake.requests.length, 6);
  });
});

/** Pages that are followed by themselves, in the way of each host. */
const loops: Readonly<Record<string, (url: URL) => Answer>> = {
  github: ({ href }) => ({ headers: { link: `<${href}>; rel="next"` }, body: [] }),
  gitlab: ({ href }) => ({ headers: { link: `<${href}>; rel="next"` }, body: [] }),
  bitbucketServer: () => ({ body: { values: [], isLastPage: false, nextPageStart: 0 } }),
  bitbucketCloud: ({ href }) => ({ body: { values: [], next: href } }),
  azuredevops: () => ({ headers: { "x-ms-continuationtoken": "1" }, body: { value: [], count: 0 } }),
};

for (const [type, answer] of Object.entries(loops)) {
  test(`${type}: next pages that repeat end lists, also of readers`, async () => {
    await withFake(dialectOf(type), { token: "right" }, async (fake, host) => {
      const { repositories } = await listOnly(host);
      const [first] = repositories;
      assert.ok(first);
      const sent = fake.requests.length;
      fake.intercept = (_, url) => answer(url);
      const { outcome, problems } = await listOnly(host);
      assert.equal(outcome, "partial");
      assert.match(problems[0]?.message ?? "", /a page that was already read/);
      assert.equal((await host.readers(first, ["ada"], never)).kind, "unknown");
      assert.ok(fake.requests.length <= sent + 4, fake.requests.slice(sent).join());
    });
  });
}

test("compressed responses are read, unless they are larger than they look", async () => {
  let body = gzipSync("[]");
  const listener: RequestListener = (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
  };
  await withServer(listener, async (url) => {
    await withFake(github, { settings: { url } }, async (_, host) => {
      assert.equal((await listOnly(host)).outcome, "complete");
      body = gzipSync(Buffer.alloc(65 * 1024 * 1024, " "), { level: 1 });
      const { outcome, problems } = await listOnly(host);
      assert.equal(outcome, "failed");
      assert.match(problems[0]?.message ?? "", /damaged or too large/);
    });
  });
});

test("a response that never ends is given up", async () => {
  const chunk = Buffer.alloc(4 * 1024 * 1024, " ");
  const listener: RequestListener = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", write);
    write();
  };
  await withServer(listener, async (url) => {
    await withFake(github, { settings: { url } }, async (_, host) => {
      const { outcome, problems } = await listOnly(host);
      assert.equal(outcome, "failed");
      assert.match(problems[0]?.message ?? "", /larger than 67108864 bytes/);
    });
  });
});

test("hosts that cannot be reached are named as such", async () => {
  await withFake(github, { settings: { url: "http://127.0.0.1:9" } }, async (_, host) => {
    const { outcome, problems } = await listOnly(host);
    assert.equal(outcome, "failed");
    assert.match(problems[0]?.message ?? "", /^The host cannot be reached: ECONNREFUSED/);
    assert.equal(host.requestCount, 5);
  });
});

test("a token that cannot be read fails the connection, and the next call reads it again", async () => {
  const name = "TRAWL_TEST_LATE_TOKEN";
  await withFake(github, { settings: { token: { env: name } } }, async (fake, host) => {
    const message = `Connection "work": The environment variable ${name} is not set.`;
    assert.deepEqual((await listOnly(host)).problems, [{ message }]);
    assert.deepEqual(await host.identify(never), { message });
    await assert.rejects(host.gitCredentials(), { code: "USAGE", message });
    assert.equal(fake.requests.length, 0);
    process.env[name] = "late\n";
    fake.token = "late";
    assert.equal((await listOnly(host)).outcome, "complete");
    const credentials = await host.gitCredentials();
    assert.deepEqual([credentials?.user, credentials?.password.reveal()], ["x-access-token", "late"]);
  });
});

test("another token does not reuse pages of the previous one", async () => {
  const name = "TRAWL_TEST_CHANGED_TOKEN";
  process.env[name] = "first";
  await withFake(github, { settings: { token: { env: name } } }, async (fake, host) => {
    fake.hasEtags = true;
    fake.token = "first";
    await listOnly(host);
    process.env[name] = fake.token = "second";
    await listOnly(host);
    assert.deepEqual(fake.statuses, [200, 200, 200, 200, 200, 200]);
    await listOnly(host);
    assert.deepEqual(fake.statuses.slice(6), [304, 304, 304]);
  });
});

test("calls reject with CANCELLED while they wait for the host or for its rate limit", async () => {
  const afterHang = new AbortController();
  await withFake(github, {}, async (fake, host) => {
    fake.faults.push({ kind: "hang" });
    const listing = listOnly(host, afterHang.signal);
    await eventually(() => fake.requests.length > 0);
    afterHang.abort();
    await assert.rejects(listing, { code: "CANCELLED" });
  });
  const afterLimit = new AbortController();
  await withFake(github, { clock: systemClock }, async (fake, host) => {
    fake.faults.push({ kind: "answer", status: 429, headers: { "retry-after": "600" } });
    const calls = [
      host.identify(afterLimit.signal),
      host.lookUp({ hostId: "1", path: "acme/a" }, afterLimit.signal),
    ];
    await eventually(() => fake.requests.length > 0);
    afterLimit.abort();
    for (const call of calls) await assert.rejects(call, { code: "CANCELLED" });
    assert.equal(fake.requests.length, 1);
  });
});

test("connections to a host send one request at a time", async () => {
  let running = 0;
  let most = 0;
  const listener: RequestListener = (_, response) => {
    most = Math.max(most, ++running);
    setImmediate(() => {
      running--;
      response.writeHead(200, { "content-type": "application/json" }).end("[]");
    });
  };
  await withServer(listener, async (url) => {
    await withFake(github, { settings: { url } }, async (_, first) => {
      await withFake(gitea, { settings: { url, include: { users: ["a"] } } }, async (_, second) => {
        await Promise.all([first, second, first, second].map((host) => listOnly(host)));
      });
    });
  });
  assert.equal(most, 1);
});
