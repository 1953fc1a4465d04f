/**
 * The leader's end of the socket: what other Trawl processes of the same person ask. Protocol: `remote/wire.ts`.
 *
 * Plain `node:http`, because a command that becomes the leader for a moment must not pay for a web framework.
 */
import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname } from "node:path";
import { isServiceError, ServiceError } from "#base/error";
import { type OperationName, operationNames } from "#contract/operations";
import type { Call, Caller, OpenDocument } from "#contract/service";
import type { Log } from "#platform/log";
import { callPath, toWireError, type WireCall, type WireLine } from "#remote/wire";

export interface SocketListener {
  /** Ends the socket and what runs on it. */
  close(): Promise<void>;
}

/** Unsaved documents travel with a call, so that its body may be large; past this it is no editor's any more. */
const maxBodyBytes = 256 * 1024 * 1024;

/** Throws STORAGE_FAILED where the socket cannot be made. Only the leader calls this: a socket left behind is replaced. */
export async function listenOnSocket(path: string, caller: Caller, log: Log): Promise<SocketListener> {
  const server = createServer((request, response) => {
    answer(request, response, caller, log).catch((error: unknown) => {
      log.error("A call over the socket failed.", { error });
      response.destroy();
    });
  });
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  const isPipe = path.startsWith("\\\\");
  try {
    if (!isPipe) {
      prepareFolder(dirname(path));
      rmSync(path, { force: true });
    }
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
    });
    if (!isPipe) chmodSync(path, 0o600);
  } catch (cause) {
    server.close();
    if (isServiceError(cause)) throw cause;
    throw new ServiceError("STORAGE_FAILED", `Cannot listen on ${path}.`, { cause });
  }
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** In the temporary folder anybody could have made it first, and would then read what is asked. */
function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (dirname(folder) !== tmpdir() || !basename(folder).startsWith("trawl-")) return;
  const found = lstatSync(folder);
  const user = process.getuid?.();
  if (!found.isDirectory() || (user !== undefined && found.uid !== user)) {
    throw new ServiceError("STORAGE_FAILED", `${folder} belongs to somebody else.`);
  }
  chmodSync(folder, 0o700);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller,
  log: Log,
): Promise<void> {
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  response.setHeader("content-type", "application/x-ndjson");
  try {
    const name = rowOf(request);
    const call = parseCall(await readBody(request));
    const result = await caller(name, call.request, {
      credentials: { kind: "local" },
      signal: controller.signal,
      ...(call.baseUrl === undefined ? {} : { baseUrl: call.baseUrl }),
      ...(call.unsaved === undefined ? {} : { unsaved: call.unsaved }),
      ...(call.folders === undefined ? {} : { folders: call.folders }),
      ...(call.events ? { emit: (event: unknown) => send(response, { event }) } : {}),
    } as Call<OperationName>);
    await send(response, { answer: result });
  } catch (error) {
    if (!isServiceError(error)) log.error("A call over the socket failed.", { error });
    await send(response, { error: toWireError(error) });
  }
  response.end();
}

function rowOf(request: IncomingMessage): OperationName {
  const path = request.url ?? "";
  const name = operationNames.find((each) => path === callPath + each);
  if (name !== undefined && request.method === "POST") return name;
  throw new ServiceError(
    "NOT_FOUND",
    `This Trawl does not know ${request.method} ${path}: it may be an older one.`,
  );
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // What is too much is read to its end all the same, because a caller that is still writing hears no answer.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  if (bytes > maxBodyBytes) {
    throw new ServiceError(
      "REQUEST_TOO_LARGE",
      `${bytes} bytes of unsaved documents are more than ${maxBodyBytes}.`,
    );
  }
  return Buffer.concat(chunks, bytes).toString("utf8");
}

function parseCall(text: string): WireCall {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError("INVALID_REQUEST_BODY", "The call is no JSON.", { cause });
  }
  const { request, baseUrl, unsaved, folders, events } = (value ?? {}) as Record<string, unknown>;
  return {
    request,
    ...(typeof baseUrl === "string" ? { baseUrl } : {}),
    ...(Array.isArray(unsaved) ? { unsaved: unsaved.filter(isOpenDocument) } : {}),
    ...(Array.isArray(folders) ? { folders: folders.filter((each) => typeof each === "string") } : {}),
    events: events === true,
  };
}

function isOpenDocument(value: unknown): value is OpenDocument {
  const { path, text, version } = (value ?? {}) as Record<string, unknown>;
  return typeof path === "string" && typeof text === "string" && typeof version === "string";
}

/** Resolves when there is room for more, or nobody is left to read. */
async function send(response: ServerResponse, line: WireLine): Promise<void> {
  if (response.destroyed || response.write(`${JSON.stringify(line)}\n`)) return;
  await new Promise<void>((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}
