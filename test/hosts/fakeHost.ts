/**
 * A code host for tests: a world of repositories, which a dialect renders as the API of one host type over a real HTTP
 * server, and faults that can be switched on.
 */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Clock } from "#platform/clock";
import { checkAnswer, checkRequest, describedApi } from "./describedApi";

export interface FakeRepository {
  readonly id: number;
  /** `acme/repo-001`. */
  path: string;
  isPrivate?: boolean;
  isFork?: boolean;
  isArchived?: boolean;
  isDisabled?: boolean;
  isEmpty?: boolean;
  /** Only Gerrit has projects from which others only inherit, and those that nobody may fetch. */
  isPermissionsOnly?: boolean;
  isHidden?: boolean;
  defaultBranch?: string;
  topics?: readonly string[];
  /** KiB. */
  size?: number;
  /** People who may read it if it is private, besides the account of the token. */
  readers?: readonly string[];
  /** People who know of it, but may not read its code. */
  guests?: readonly string[];
  /** People whose membership is not active yet. */
  waiting?: readonly string[];
}

export interface Fault {
  /** The number of the page that it affects, from 1; absent: every request. */
  readonly page?: number;
  readonly kind: "answer" | "headers" | "hang" | "cut" | "oddItem" | "next";
  /** For `answer`. */
  readonly status?: number;
  /** For `answer`, and for `headers`: added to those of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For `next`: what replaces the address in links to the next page. */
  readonly next?: string;
  /** How often it happens; absent: always. */
  times?: number;
}

/** What a dialect responds. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Set for pages of lists, from 1. */
  readonly page?: number;
}

export interface FakeRequest {
  readonly url: URL;
  readonly query: URLSearchParams;
  /** Those that the credentials of the request may see, in the order of their ids. */
  readonly repositories: readonly FakeRepository[];
  readonly isSignedIn: boolean;
  /** The server returns no more than this per page. */
  readonly pageLimit: number;
  /** Old paths of renamed repositories. */
  readonly renamed: ReadonlyMap<string, FakeRepository>;
}

export interface Dialect {
  readonly type: string;
  /** Whether lists have pages. */
  readonly isPaged: boolean;
  /** Settings of a connection that lists all repositories of `acme`. */
  settings(url: string): Readonly<Record<string, unknown>>;
  /** Returns the value of the header `Authorization`. */
  authorization(token: string): string;
  /** Returns `undefined` for what the host does not have. */
  respond(request: FakeRequest): Answer | undefined;
  /** Returns the body of an error; `{message}` if it is absent. */
  error?(message: string): object;
  /** How the host responds to too many requests, if it documents that. */
  readonly limited?: Pick<Fault, "status" | "headers" | "body">;
  /** What each JSON response begins with. */
  readonly prefix?: string;
  readonly isGzip?: boolean;
}

export class FakeHost {
  readonly dialect: Dialect;
  readonly repositories: FakeRepository[];
  readonly renamed = new Map<string, FakeRepository>();
  readonly faults: Fault[] = [];
  /** `METHOD /path?query` of each request. */
  readonly requests: string[] = [];
  readonly statuses: number[] = [];
  /** Which operations were asked for, of those that the vendor describes. */
  readonly operations = new Set<string>();
  readonly #server = createServer((request, response) => this.#serve(request, response));
  token: string | undefined;
  pageLimit = 100;
  hasEtags = false;
  /** Whitespace after each page, for the size of real ones. */
  paddingBytes = 0;
  /** Called after each page was sent. */
  afterPage: ((page: number) => void) | undefined;
  /** Answers requests before their credentials are checked. */
  intercept: ((request: IncomingMessage, url: URL) => Answer | undefined) | undefined;
  #url = "";
  #failure: unknown;

  constructor(dialect: Dialect, repositories: FakeRepository[]) {
    this.dialect = dialect;
    this.repositories = repositories;
  }

  get url(): string {
    return this.#url;
  }

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  /** Rejects if a request or a response was not as the vendor describes it. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
    if (this.#failure !== undefined) throw this.#failure;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", this.#url);
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    const given = request.headers.authorization;
    const isSignedIn = this.token !== undefined && given === this.dialect.authorization(this.token);
    const isRefused = given !== undefined && !isSignedIn;
    const refuse = (status: number, message: string): Answer => ({
      status,
      body: this.dialect.error?.(message) ?? { message },
    });
    const respond = () =>
      (isRefused
        ? refuse(401, `Bad credentials ${given}`)
        : this.dialect.respond({
            url,
            query: url.searchParams,
            repositories: this.repositories.filter(({ isPrivate }) => isSignedIn || !isPrivate),
            isSignedIn,
            pageLimit: this.pageLimit,
            renamed: this.renamed,
          })) ?? refuse(404, "Not Found");
    let answer: Answer;
    try {
      answer = this.intercept?.(request, url) ?? this.#described(url, respond);
    } catch (error) {
      this.#failure ??= error;
      response.destroy();
      return;
    }
    const fault = this.faults.find(
      (each) => (each.page === undefined || each.page === answer.page) && each.times !== 0,
    );
    if (fault?.times !== undefined) fault.times--;
    this.#send(request, response, answer, fault);
    this.statuses.push(response.statusCode);
    if (answer.page !== undefined && fault === undefined) this.afterPage?.(answer.page);
  }

  /** Fails if the vendor does not describe the request or the response. */
  #described(url: URL, respond: () => Answer): Answer {
    const isRedirected = this.faults.some(
      ({ headers }) => headers?.["location"]?.split("?")[0] === url.pathname,
    );
    const api = isRedirected ? undefined : describedApi(this.dialect.type);
    const path = api && checkRequest(api, url);
    const answer = respond();
    if (api !== undefined && path !== undefined) {
      checkAnswer(api, path, answer);
      this.operations.add(path);
    }
    return answer;
  }

  #send(request: IncomingMessage, response: ServerResponse, answer: Answer, fault: Fault | undefined): void {
    if (fault?.kind === "hang") return;
    if (fault?.kind === "answer") {
      response.writeHead(fault.status ?? 200, { "content-type": "application/json", ...fault.headers });
      response.end(fault.body ?? "{}");
      return;
    }
    const headers: Record<string, string> = {
      "content-type": "application/json; charset=utf-8",
      ...answer.headers,
      ...(fault?.kind === "headers" && fault.headers),
    };
    if (fault?.kind === "oddItem") makeOdd(answer.body);
    const isError = (answer.status ?? 200) >= 400;
    let text = `${isError ? "" : (this.dialect.prefix ?? "")}${JSON.stringify(answer.body)}`;
    if (answer.page !== undefined) text += " ".repeat(this.paddingBytes);
    if (fault?.kind === "next") {
      const replace = (each: string) => each.replaceAll(this.#url, fault.next ?? "");
      text = replace(text);
      if (headers["link"] !== undefined) headers["link"] = replace(headers["link"]);
    }
    const body = this.dialect.isGzip && !isError ? gzipSync(text) : Buffer.from(text);
    if (this.hasEtags && (answer.status ?? 200) === 200) {
      headers["etag"] = `W/"${createHash("sha1").update(text).digest("hex")}"`;
      if (request.headers["if-none-match"] === headers["etag"]) {
        response.writeHead(304, headers).end();
        return;
      }
    }
    if (fault?.kind === "cut") {
      response.writeHead(200, { ...headers, "content-length": String(body.length) });
      response.write(body.subarray(0, body.length / 2), () => response.destroy());
      return;
    }
    response.writeHead(answer.status ?? 200, headers);
    response.end(body);
  }
}

/** Makes one item of a page malformed: an array loses the fields of its first item, a map gets an impossible name. */
function makeOdd(body: unknown): void {
  const { values, value, data } = body as Record<string, unknown>;
  const items = [body, values, value, data].find(Array.isArray);
  if (items === undefined) Object.assign(body as object, { "/../odd": {}, "acme/odd": 5 });
  else items[0] = { id: { odd: true } };
}

/** Returns repositories of `acme`: `acme/repo-001` and so on. */
export function manyRepositories(count: number): FakeRepository[] {
  return Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    path: `acme/repo-${String(at + 1).padStart(4, "0")}`,
  }));
}

/** A clock that jumps to the time at which something waits, as soon as nothing else runs. */
export function jumpingClock(): Clock & { readonly waits: number[] } {
  let time = Date.parse("2026-01-31T12:00:00Z");
  const waits: number[] = [];
  return {
    waits,
    now: () => time,
    elapsed: () => time,
    after(delayMs, call) {
      waits.push(delayMs);
      const timer = setImmediate(() => {
        time += delayMs;
        call();
      });
      return () => clearImmediate(timer);
    },
  };
}
