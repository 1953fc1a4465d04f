/** Connections that reach their host only through a proxy, for REST and for git. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, request as send } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { updateMirror } from "#git/mirror/mirror";
import { type Connection, connectionsSchema } from "#hosts/connection";
import { openHost } from "#hosts/openHost";
import { type HostProxy, proxyServer } from "#hosts/proxy";
import { Secret } from "#hosts/secret";
import { diskFiles } from "#platform/files";
import { Sender } from "#platform/send";
import { gitServer } from "#test/support/gitServer";
import { projectRoot } from "#test/support/house";
import { runGit, temporaryFolder } from "#test/support/repo";

const password = "c4nary p%40ss/";
const expected = `Basic ${Buffer.from(`svc:${password}`).toString("base64")}`;

/** Starts a proxy that sends all requests to `target`, and refuses tunnels. */
async function proxyTo(
  t: TestContext,
  target: string,
  tls?: { readonly key: Buffer; readonly cert: Buffer },
) {
  const authorizations: (string | undefined)[] = [];
  const requests: string[] = [];
  const forward: RequestListener = (incoming, outgoing) => {
    authorizations.push(incoming.headers["proxy-authorization"]);
    requests.push(incoming.url ?? "");
    if (incoming.headers["proxy-authorization"] !== expected) {
      outgoing.writeHead(407, { "Proxy-Authenticate": 'Basic realm="proxy"' }).end();
      return;
    }
    const { pathname, search } = new URL(incoming.url ?? "");
    const { method, headers } = incoming;
    const forwarded = send(target + pathname + search, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  };
  const proxy = tls === undefined ? createServer(forward) : createSecureServer(tls, forward);
  proxy.on("connect", ({ url, headers }, socket) => {
    authorizations.push(headers["proxy-authorization"]);
    requests.push(`CONNECT ${url}`);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const url = `${tls === undefined ? "http" : "https"}://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { url, authorizations, requests };
}

function mirrorThrough(proxy: HostProxy | undefined, path: string, folder: string, caFile?: string) {
  return updateMirror(
    path,
    // No such host exists, so that nothing can arrive without the proxy.
    { url: "http://git.invalid/acme/api.git", allowsHttp: true, proxy, caFile },
    {
      files: diskFiles,
      helperFolder: join(projectRoot(), "dist/server/credentialHelper"),
      homeFolder: folder,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
    },
  );
}

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

test("git and REST trust the certificate of an HTTPS proxy by caFile", { skip: !hasOpenssl }, async (t) => {
  const server = await gitServer(t);
  server.create("acme/api");
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=proxy", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
  ]);
  assert.equal(made.status, 0, made.stderr.toString());
  const tls = { key: readFileSync(key), cert: readFileSync(cert) };
  const { url, requests } = await proxyTo(t, server.origin, tls);
  const proxy = { url, login: { user: "svc", password: new Secret(password) } };
  const path = join(folder, "1.git");
  await assert.rejects(mirrorThrough(proxy, path, folder), { code: "GIT_FAILED", message: /certificate/i });
  assert.deepEqual(requests, []);
  await mirrorThrough(proxy, path, folder, cert);
  assert.ok(runGit(path, ["rev-parse", "main"]));
  const sender = new Sender(cert, 30_000, async () => proxyServer(proxy));
  t.after(() => sender.close());
  await assert.rejects(sender.send("https://git.invalid/none", {}, new AbortController().signal), {
    message: "The proxy responded with status 403.",
  });
});

test("git fetches through a proxy, whose password is in no argument, file or error", async (t) => {
  const server = await gitServer(t);
  server.create("acme/api");
  const { url, authorizations, requests } = await proxyTo(t, server.origin);
  const folder = temporaryFolder();
  const path = join(folder, "1.git");
  const update = (proxy: HostProxy | undefined) => mirrorThrough(proxy, path, folder);
  const login = { user: "svc", password: new Secret(password) };
  await assert.rejects(update(undefined), { code: "GIT_FAILED", message: /git\.invalid/ });
  await assert.rejects(
    update({ url, login: { ...login, password: new Secret("c4nary-wrong") } }),
    (error: Error) => {
      assert.match(error.message, /407/);
      assert.doesNotMatch(error.message, /c4nary/);
      return true;
    },
  );
  // A renamed repository is looked up through the proxy, too.
  server.create("acme/renamed");
  server.mode = { kind: "renamed", from: "acme/api", to: "acme/renamed" };
  await update({ url, login });
  assert.ok(runGit(path, ["rev-parse", "main"]));
  assert.ok(requests.every((each) => each.startsWith("http://git.invalid/")));
  assert.ok(authorizations.includes(expected));
  const stored = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  assert.doesNotMatch(stored.join("\n"), /c4nary/);
});

test("requests to a host go through its proxy, and over HTTPS through a tunnel", async (t) => {
  const server = await gitServer(t);
  const { url, authorizations, requests } = await proxyTo(t, server.origin);
  const signal = new AbortController().signal;
  const proxy = { url, login: { user: "svc", password: new Secret(password) } };
  const sender = new Sender(undefined, 30_000, async () => proxyServer(proxy));
  t.after(() => sender.close());
  const { status } = await sender.send("http://git.invalid/none", {}, signal);
  assert.equal(status, 404);
  await assert.rejects(sender.send("https://git.invalid/none", {}, signal), {
    message: "The proxy responded with status 403.",
  });
  assert.deepEqual(requests, ["http://git.invalid/none", "CONNECT git.invalid:443"]);
  assert.deepEqual(authorizations, [expected, expected]);

  const file = join(temporaryFolder(), "password");
  writeFileSync(file, `${password}\n`);
  const { main } = connectionsSchema.parse({
    main: {
      type: "gitea",
      url: "http://git.invalid",
      allowHttp: true,
      proxy: url,
      proxyLogin: { user: "svc", password: { file } },
      include: { all: true },
    },
  });
  const host = openHost("main", main as Connection);
  t.after(() => host.close());
  await host.identify(signal);
  assert.ok(requests.some((each) => each.startsWith("http://git.invalid/api/v1/")));
  assert.deepEqual([...new Set(authorizations)], [expected]);
});
