/**
 * Logs in to the team's server in the browser, which passes a code to a port of this computer (RFC 8252). The server
 * exchanges it for an API key that can only read.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { canceled } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import { OriginClient } from "#platform/originClient";
import { TimeLimit } from "#platform/timeLimit";
import { parseServerAddress, type ServerAddress } from "#team/address";
import { ServerFailure } from "#team/serverFailure";

export interface BrowserLoginOptions {
  readonly url: string;
  /** Names the editor and its computer. */
  readonly name: string;
  /** Opens a page in the browser of the user. */
  readonly open: (url: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** How long the user may take, and then the server. */
const loginMs = 10 * 60 * 1000;
const exchangeMs = 30_000;
const path = "/trawl";
const maxResponseBytes = 64 * 1024;
const maxNameCharacters = 60;

/**
 * Returns the key. Throws USAGE for an invalid URL; rejects with CANCELLED when the signal fires, and with a
 * `ServerFailure` if the server does not let the editor in.
 */
export async function logInInBrowser({ url, name, open, signal }: BrowserLoginOptions): Promise<string> {
  const address = parseServerAddress(url);
  const limit = new TimeLimit(signal, loginMs);
  const state = randomBytes(16).toString("hex");
  const verifier = randomBytes(32).toString("base64url");
  const { port, code, close } = await listenForCode(state);
  try {
    const parameters = new URLSearchParams({
      redirect_uri: `http://127.0.0.1:${port}${path}`,
      state,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      name: name.slice(0, maxNameCharacters),
    });
    await open(`${address.url}/editor?${parameters}`);
    return await exchange(address, await untilAborted(code, limit.signal), verifier, limit.signal);
  } catch (error) {
    if (limit.isExpired) throw new ServerFailure("rejected", "Nobody has logged in for ten minutes.");
    throw error;
  } finally {
    close();
    limit.dispose();
  }
}

async function listenForCode(state: string) {
  let settle: (code: string) => void = () => {};
  const code = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    // Any page may send a request, also one with a target that is not a URL, such as `//`.
    const [pathname, query] = (request.url ?? "").split("?", 2);
    const parameters = new URLSearchParams(query);
    const found = parameters.get("code");
    const isExpected = pathname === path && parameters.get("state") === state && found !== null;
    const message = isExpected
      ? "Trawl is connected. You can close this page."
      : "This page is not part of the login.";
    const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
    response.writeHead(isExpected ? 200 : 404, headers).end(message);
    if (isExpected) settle(found);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, code, close };

  function close(): void {
    server.close();
    // Browsers open connections in advance, and keep them open.
    server.closeAllConnections();
  }
}

async function exchange(
  { origin, basePath }: ServerAddress,
  code: string,
  codeVerifier: string,
  signal: AbortSignal,
): Promise<string> {
  const client = new OriginClient(origin, maxResponseBytes);
  const limit = new TimeLimit(signal, exchangeMs);
  try {
    const { status, body } = await client.request({
      method: "POST",
      path: `${basePath}/editor/key`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code, codeVerifier }),
      signal: limit.signal,
    });
    const key = status === 200 ? keyIn(await text(body)) : undefined;
    if (key !== undefined) return key;
    throw new ServerFailure(
      "rejected",
      "The server did not accept the login. Try again, or enter an API key.",
    );
  } catch (error) {
    if (signal.aborted) throw canceled();
    if (error instanceof ServerFailure) throw error;
    throw new ServerFailure("unreachable", "The server did not respond to the login. Try again.");
  } finally {
    limit.dispose();
    await client.close();
  }
}

function keyIn(json: string): string | undefined {
  try {
    const { key } = JSON.parse(json);
    return typeof key === "string" && /^trwl_[\w-]{43}$/.test(key) ? key : undefined;
  } catch {
    return undefined;
  }
}
