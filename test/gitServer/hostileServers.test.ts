/** Git servers that send something else than they should. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { RequestOf } from "#contract/service";
import { GitServers } from "#gitServer/gitServers";
import type { ListedRepository } from "#gitServer/protocol";
import { systemClock } from "#platform/clock";
import { createLog } from "#platform/log";

type Answer = (response: ServerResponse) => void;

const listed: ListedRepository = {
  name: "shop",
  codeHostType: "genericGitHost",
  isFork: false,
  isArchived: false,
  isPublic: false,
  revisions: [],
  state: "ready",
};
const json = (value: unknown, status = 200) => {
  const text = JSON.stringify(value);
  return (response: ServerResponse) => void response.writeHead(status).end(text);
};
const file = { source: "text", language: "", path: "a", repo: "shop", blobSha: "", commit: "", webUrl: "" };
const source = {
  ...file,
  repoCodeHostType: "genericGitHost",
  repoDisplayName: "shop",
  repoExternalWebUrl: "",
  externalWebUrl: "",
};

async function serve(t: TestContext, list: Answer, call: Answer): Promise<string> {
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    (request.url === "/repositories" ? list : call)(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function connect(t: TestContext, urls: readonly string[]): Promise<GitServers> {
  const servers = new GitServers({
    servers: urls.map((url, at) => ({ name: `s${at}`, url, weight: 1, readSecret: async () => "secret" })),
    clock: systemClock,
    log: createLog("error", () => {}),
    onList: () => {},
  });
  t.after(() => servers.close());
  await servers.start(5000, new AbortController().signal);
  return servers;
}

const request: RequestOf<"source"> = { repo: "shop", path: "a", encoding: "utf-8" };
const read = (servers: GitServers) =>
  servers.call("source", "shop", request, { signal: new AbortController().signal });
const list = json({ repositories: [listed] });

const failures: Record<string, readonly [Answer, RegExp]> = {
  "no JSON": [(response) => response.end("<html>"), /sent something else than a response/],
  "another response": [json({ source: 1 }), /sent something else than a response/],
  "an internal error": [
    json({ statusCode: 500, errorCode: "UNEXPECTED_ERROR", message: "/etc/x" }, 500),
    /status 500/,
  ],
  "a redirect": [
    (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    /status 302/,
  ],
  "a status without an error object": [(response) => response.writeHead(404).end("gone"), /status 404/],
  "a wrong secret": [(response) => response.writeHead(401).end(), /rejects the secret/],
  "half a response": [
    (response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("{", () => response.destroy());
    },
    /cannot be reached/,
  ],
};

for (const [what, [answer, reason]] of Object.entries(failures)) {
  test(`${what} is a failure of the server, and another one answers`, async (t) => {
    const bad = await serve(t, list, answer);
    await assert.rejects(read(await connect(t, [bad])), (error: Error) => {
      assert.match(error.message, reason);
      assert.doesNotMatch(error.message, /etc/);
      return "code" in error && error.code === "ENGINE_UNAVAILABLE";
    });
    // The second one is asked first.
    const servers = await connect(t, [await serve(t, list, json(source)), bad]);
    for (let count = 0; count < 3; count++) assert.deepEqual(await read(servers), source);
    const asked = new Map([...servers.outcomes()].map(([labels, total]) => [labels.join(" "), total]));
    assert.equal(asked.get("s0 ok"), 3);
    assert.equal(asked.get("s1 ok"), 0);
    assert.ok([...asked].some(([label, total]) => label.startsWith("s1 ") && total > 0));
  });
}

test("an error of the request is not sent to another server", async (t) => {
  let asked = 0;
  const refusal = { statusCode: 404, errorCode: "FILE_NOT_FOUND", message: "No such file." };
  const answer: Answer = (response) => {
    asked++;
    json(refusal, 404)(response);
  };
  const servers = await connect(t, [await serve(t, list, answer), await serve(t, list, answer)]);
  await assert.rejects(read(servers), { code: "FILE_NOT_FOUND", message: "No such file." });
  assert.equal(asked, 1);
});

test("a revision that one server lacks is requested from another one", async (t) => {
  const missing = json({ statusCode: 404, errorCode: "NOT_FOUND", message: "No such revision." }, 404);
  const [lacking, having] = [await serve(t, list, missing), await serve(t, list, json(source))];
  // Whichever is asked first.
  for (const urls of [
    [lacking, having],
    [having, lacking],
  ])
    assert.deepEqual(await read(await connect(t, urls)), source);
  await assert.rejects(read(await connect(t, [lacking])), {
    code: "NOT_FOUND",
    message: "No such revision.",
  });
  const down = await serve(t, list, (response) => response.destroy());
  await assert.rejects(read(await connect(t, [lacking, down])), { code: "NOT_FOUND" });
});

const lists: Record<string, Answer> = {
  "no JSON": (response) => response.end("["),
  "names with line breaks": json({ repositories: [{ ...listed, name: "a\nb" }] }),
  "an empty name": json({ repositories: [{ ...listed, name: "" }] }),
  "commits that are no hashes": json({
    repositories: [{ ...listed, revisions: [{ name: "refs/heads/main", commit: "--upload-pack=x" }] }],
  }),
  "a link that is a script": json({ repositories: [{ ...listed, hostUrl: "javascript:alert(1)" }] }),
  "an unknown state": json({ repositories: [{ ...listed, state: "lost" }] }),
  "an error": json({}, 503),
};

for (const [what, answer] of Object.entries(lists)) {
  test(`a list with ${what} is not used`, async (t) => {
    const bad = await serve(t, answer, json(source));
    const servers = await connect(t, [bad, await serve(t, list, json(source))]);
    assert.deepEqual([...servers.repositories().keys()], ["shop"]);
    assert.deepEqual(
      [...servers.responding()],
      [
        ["s0", 0],
        ["s1", 1],
      ],
    );
    assert.deepEqual(await read(servers), source);
  });
}
