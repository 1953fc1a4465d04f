/** A language client without a library: it sends exactly what it is given, valid or not, and records what it receives. */
import type { TestContext } from "node:test";
import { type RunningTrawl, startTrawl } from "#test/support/trawl";

export interface RawMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface RawClient {
  readonly server: RunningTrawl;
  /** All notifications and requests from the server so far. */
  readonly received: readonly RawMessage[];
  /** Sends a request and returns its response. Without `params` the message has none. */
  request(method: string, params?: unknown): Promise<RawMessage>;
  /** Like `request`, but throws if the response is an error. */
  result<Result>(method: string, params?: unknown): Promise<Result>;
  notify(method: string, params?: unknown): void;
  initialize(params?: object): Promise<RawMessage>;
  /** Sends `shutdown` and `exit`; returns the exit code. */
  close(): Promise<number | null>;
}

export interface RawOptions {
  readonly args?: readonly string[];
  /** Answers to requests of the server, by method; `null` for all others. */
  readonly answers?: Readonly<Record<string, (params: never) => unknown>>;
}

/** Starts a server that ends with test `t` at the latest. */
export function openRawClient(dataDir: string, t: TestContext, options: RawOptions = {}): RawClient {
  const { args = [], answers = {} } = options;
  const server = startTrawl(["serve", "--stdio", "--data-dir", dataDir, ...args]);
  t.after(() => server.process.kill("SIGKILL"));
  const received: RawMessage[] = [];
  const waiting = new Map<unknown, (message: RawMessage) => void>();
  let lastId = 0;

  function send(message: RawMessage): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  readMessages(server, (message) => {
    if (message.method === undefined) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
      return;
    }
    received.push(message);
    if (message.id === undefined) return;
    const answer = answers[message.method] as ((params: unknown) => unknown) | undefined;
    send({ id: message.id, result: answer?.(message.params) ?? null });
  });

  const client: RawClient = {
    server,
    received,
    request(method, params) {
      const id = ++lastId;
      const response = new Promise<RawMessage>((resolve) => waiting.set(id, resolve));
      send({ id, method, ...(params === undefined ? {} : { params }) });
      return response;
    },
    async result<Result>(method: string, params?: unknown) {
      const { result, error } = await client.request(method, params);
      if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
      return result as Result;
    },
    notify(method, params) {
      send({ method, ...(params === undefined ? {} : { params }) });
    },
    async initialize(params = {}) {
      const response = await client.request("initialize", {
        processId: process.pid,
        rootUri: null,
        capabilities: {},
        ...params,
      });
      client.notify("initialized", {});
      return response;
    },
    async close() {
      await client.request("shutdown");
      client.notify("exit");
      return (await server.ended).code;
    },
  };
  return client;
}

function readMessages({ process: { stdout } }: RunningTrawl, onMessage: (message: RawMessage) => void): void {
  let rest = Buffer.alloc(0);
  stdout.on("data", (part: string) => {
    rest = Buffer.concat([rest, Buffer.from(part)]);
    for (;;) {
      const header = /^Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/.exec(rest.toString("latin1", 0, 200));
      if (header === null) return;
      const start = header[0].length;
      const end = start + Number(header[1]);
      if (rest.length < end) return;
      const body = rest.toString("utf8", start, end);
      rest = rest.subarray(end);
      onMessage(JSON.parse(body) as RawMessage);
    }
  });
}
