/** Git's smart HTTP protocol for fetches: `git upload-pack` reads the request and writes the response. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { throwIfAborted } from "#base/error";
import { Limiter } from "#base/limiter";
import type { GitRepository } from "#git/repository";
import { spawnUploadPack } from "#git/uploadPack";
import type { Log } from "#platform/log";
import type { RunningProcess } from "#platform/process";
import { TimeLimit } from "#platform/timeLimit";

export interface SmartHttpRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly repository: GitRepository;
  /** `advertisement` answers `info/refs`. */
  readonly kind: "advertisement" | "pack";
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Packing objects takes a processor and memory. */
const maxRunning = 8;
const maxWaiting = 64;
/** A client that reads nothing for this time is disconnected. Git sends something every five seconds. */
const stallMs = 60_000;
const timeLimitMs = 3_600_000;
/** Limits what a client may send, after decompression: the commits that it wants and has. */
const maxRequestBytes = 16 * 1024 * 1024;

const mediaType = (kind: "request" | "result" | "advertisement") => `application/x-git-upload-pack-${kind}`;

export class SmartHttp {
  readonly #log: Log;
  readonly #limiter = new Limiter(maxRunning);
  #admitted = 0;
  #ended = { ok: 0, failed: 0, canceled: 0, refused: 0 };

  constructor(log: Log) {
    this.#log = log;
  }

  /** Requests that have ended, by outcome. */
  get ended(): ReadonlyMap<string, number> {
    return new Map(Object.entries(this.#ended));
  }

  get running(): number {
    return this.#limiter.running;
  }

  /** Resolves when the response has been sent, or the client has disconnected. */
  async respond(call: SmartHttpRequest): Promise<void> {
    const { request, response, kind, signal } = call;
    if (kind === "pack" && request.headers["content-type"] !== mediaType("request")) {
      response.writeHead(415).end();
      return;
    }
    if (this.#admitted >= maxRunning + maxWaiting) {
      this.#ended.refused++;
      response.writeHead(503, { "retry-after": "5" }).end();
      return;
    }
    this.#admitted++;
    try {
      const isSent = await this.#limiter.run(() => this.#run(call), signal);
      this.#ended[isSent ? "ok" : "failed"]++;
    } catch (error) {
      this.#ended[signal.aborted ? "canceled" : "failed"]++;
      if (!signal.aborted) this.#log.error("Cannot serve a fetch.", { error });
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    } finally {
      this.#admitted--;
    }
  }

  /** Returns whether git has succeeded. */
  async #run({ request, response, repository, kind, signal }: SmartHttpRequest): Promise<boolean> {
    const limit = new TimeLimit(signal, timeLimitMs);
    const isAdvertisement = kind === "advertisement";
    const protocol = protocolOf(request);
    const git = spawnUploadPack(repository, { isAdvertisement, protocol, signal: limit.signal });
    response.setTimeout(stallMs, () => response.destroy());
    try {
      if (isAdvertisement) git.stdin.end();
      else void feed(request, git);
      const start = () => {
        response.writeHead(200, {
          "content-type": mediaType(isAdvertisement ? "advertisement" : "result"),
          "cache-control": "no-store",
        });
        if (isAdvertisement && protocol !== 2) response.write(serviceLine);
      };
      for await (const chunk of git.stdout) {
        if (!response.headersSent) start();
        if (!response.write(chunk)) await once(response, "drain", { signal: limit.signal });
      }
      const exitCode = await git.ended;
      throwIfAborted(signal);
      if (exitCode !== 0) {
        const { repositoryName } = repository;
        this.#log.warn("git upload-pack failed.", { repositoryName, exitCode, reason: git.errorText() });
        if (!response.headersSent) response.writeHead(500).end();
        // Git has reported an error of the request itself in its output.
        else if (exitCode === undefined) response.destroy();
        else response.end();
        return false;
      }
      if (!response.headersSent) start();
      response.end();
      return true;
    } finally {
      git.kill();
      limit.dispose();
    }
  }
}

/** The line that precedes the refs in versions before 2, with the packet that ends it. */
const serviceLine = "001e# service=git-upload-pack\n0000";

function protocolOf({ headers }: IncomingMessage): 0 | 1 | 2 {
  const found = /(?:^|:)version=([12])(?:$|:)/.exec(String(headers["git-protocol"] ?? ""))?.[1];
  return found === "2" ? 2 : found === "1" ? 1 : 0;
}

/** Passes the body of a request to git. Kills git if the body is malformed or too large. */
async function feed(request: IncomingMessage, git: RunningProcess): Promise<void> {
  const encoding = request.headers["content-encoding"];
  const body = (source: AsyncIterable<Uint8Array>) => limited(source, maxRequestBytes);
  try {
    if (encoding === "gzip" || encoding === "x-gzip")
      await pipeline(request, createGunzip(), body, git.stdin as NodeJS.WritableStream);
    else await pipeline(request, body, git.stdin as NodeJS.WritableStream);
  } catch {
    git.kill();
  }
}

async function* limited(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of source) {
    length += chunk.length;
    if (length > maxBytes) throw new Error("The request is too large.");
    yield chunk;
  }
}
