/** Calls one dispatcher over both HTTP and LSP. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import {
  createConnection,
  createProtocolConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { methodOf } from "#contract/methods";
import { isServedOverHttp } from "#contract/operation";
import { type OperationName, operation } from "#contract/operations";
import type { Caller } from "#contract/service";
import { silentLog } from "#platform/log";
import { openListener } from "#test/support/service";
import { serveOperations } from "#transport/lsp/requests";

export interface BothWays {
  readonly url: string;
  overHttp(name: OperationName, request: object): Promise<{ status: number; body: unknown }>;
  /** The response, or the error object of a rejected request. */
  overLsp(name: OperationName, request: object): Promise<unknown>;
  close(): Promise<void>;
}

export async function openBothWays(caller: Caller): Promise<BothWays> {
  const listener = await openListener(caller);
  const [there, back] = [new PassThrough(), new PassThrough()];
  const server = createConnection(new StreamMessageReader(there), new StreamMessageWriter(back));
  server.onInitialize(() => ({ capabilities: {} }));
  serveOperations(server, { caller: Promise.resolve(caller), callContext: async () => ({}), log: silentLog });
  server.listen();
  const editor = createProtocolConnection(new StreamMessageReader(back), new StreamMessageWriter(there));
  editor.listen();
  await editor.sendRequest("initialize", { processId: null, rootUri: null, capabilities: {} });
  return {
    url: listener.url,
    async overHttp(name, request) {
      const row = operation(name);
      assert.ok(isServedOverHttp(row));
      const response = await fetch(...addressed(listener.url, row.http, request));
      return { status: response.status, body: await response.json() };
    },
    async overLsp(name, request) {
      try {
        return await editor.sendRequest(methodOf(name), request);
      } catch (error) {
        assert.ok(error instanceof ResponseError);
        return error.data;
      }
    },
    async close() {
      editor.dispose();
      await listener.close();
    },
  };
}

function addressed(
  url: string,
  { method, path }: { readonly method: string; readonly path: string },
  request: object,
): [string, RequestInit?] {
  if (method === "POST") {
    const headers = { "content-type": "application/json" };
    return [url + path, { method, headers, body: JSON.stringify(request) }];
  }
  const query = Object.entries(request).map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return [`${url}${path}?${query.join("&")}`];
}
