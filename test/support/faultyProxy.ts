/** An HTTP proxy before one server, which can misbehave. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

type Answer = (incoming: IncomingMessage, response: ServerResponse) => void;

export interface FaultyProxy {
  readonly url: string;
  /** Answers instead of the server; `undefined` forwards requests. */
  answer: Answer | undefined;
  /** The paths of all requests so far. */
  readonly paths: readonly string[];
  /** The header `Authorization` of each request so far. */
  readonly keys: readonly (string | undefined)[];
}

/** Answers every request with a status. */
export function statusAnswer(status: number, headers: Record<string, string> = {}, body = ""): Answer {
  return (_incoming, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

export async function faultyProxy(target: string, t: TestContext): Promise<FaultyProxy> {
  const paths: string[] = [];
  const keys: (string | undefined)[] = [];
  const server = createServer((incoming, response) => {
    paths.push(incoming.url ?? "");
    keys.push(incoming.headers.authorization);
    response.on("error", () => undefined);
    if (proxy.answer !== undefined) proxy.answer(incoming, response);
    else forwardTo(target, incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy: { -readonly [Field in keyof FaultyProxy]: FaultyProxy[Field] } = {
    url,
    answer: undefined,
    paths,
    keys,
  };
  return proxy;
}

function forwardTo(target: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = incoming;
  const host = new URL(target).host;
  const outgoing = request(
    `${target}${incoming.url}`,
    { method, headers: { ...headers, host } },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  outgoing.on("error", () => response.destroy());
  response.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}
