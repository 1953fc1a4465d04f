/** Sends requests to one git server. Its responses are validated, but passed on as they are. */
import * as z from "zod";
import { canceled, isServiceError, ServiceError } from "#base/error";
import { ErrorObject, isErrorCode } from "#contract/error";
import type { HistoryOperation } from "#contract/historyOperations";
import { operation } from "#contract/operations";
import type { RequestOf, ResponseOf } from "#contract/service";
import { BodyTooLarge, OriginClient, type OriginResponse, parseJson, readText } from "#platform/originClient";
import { TimeLimit } from "#platform/timeLimit";
import { GitServerFailure } from "./gitServerFailure";
import {
  type CallEnvelope,
  callPrefix,
  type ListedRepository,
  RepositoryList,
  repositoriesPath,
} from "./protocol";

export interface GitServerClientOptions {
  readonly name: string;
  /** Without a trailing slash. */
  readonly url: string;
  /** Called for each request, so that a replaced file takes effect without a restart. */
  readonly readSecret: () => Promise<string>;
}

export interface RequestLimits {
  readonly signal: AbortSignal;
  /** Until the response is complete. */
  readonly timeLimitMs: number;
}

/** A list, with the tag by which the server recognizes that it has not changed. */
export interface TaggedList {
  readonly tag: string | undefined;
  readonly repositories: readonly ListedRepository[];
}

const maxResponseBytes = 256 * 1024 * 1024;
const maxErrorBytes = 256 * 1024;
const paged = z.object({ items: z.unknown(), total: z.int().min(0), incomplete: z.string().optional() });

export class GitServerClient {
  readonly #options: GitServerClientOptions;
  readonly #client: OriginClient;
  readonly #basePath: string;

  constructor(options: GitServerClientOptions) {
    const { origin, pathname } = new URL(options.url);
    this.#options = options;
    this.#client = new OriginClient(origin, maxResponseBytes);
    this.#basePath = pathname.replace(/\/+$/, "");
  }

  /**
   * Executes an operation. Rejects with a `GitServerFailure` if the server is at fault, with the `ServiceError` of the
   * operation if the request is, and with CANCELLED when the signal fires.
   */
  async call<Name extends HistoryOperation>(
    name: Name,
    request: RequestOf<Name>,
    context: Pick<CallEnvelope, "baseUrl" | "client">,
    limits: RequestLimits,
  ): Promise<ResponseOf<Name>> {
    const { timeLimitMs } = limits;
    return await this.#within(limits, async (signal) => {
      const response = await this.#client.request({
        method: "POST",
        path: this.#basePath + callPrefix + name,
        headers: { ...(await this.#headers()), "content-type": "application/json" },
        body: JSON.stringify({ request, ...context, timeLimitMs } satisfies CallEnvelope),
        signal,
      });
      if (response.status !== 200) throw await this.#failureOf(response);
      const value = parseJson(await readText(response.body, maxResponseBytes));
      if (!isResponse(name, value)) throw this.#failure("failed", "sent something else than a response");
      return value as ResponseOf<Name>;
    });
  }

  /** Lists the repositories; `undefined` if the list is the one with this tag. Rejects like `call`. */
  async list(tag: string | undefined, limits: RequestLimits): Promise<TaggedList | undefined> {
    return await this.#within(limits, async (signal) => {
      const response = await this.#client.request({
        method: "GET",
        path: this.#basePath + repositoriesPath,
        headers: { ...(await this.#headers()), ...(tag === undefined ? {} : { "if-none-match": tag }) },
        signal,
      });
      if (response.status === 304 && tag !== undefined) {
        await readText(response.body, maxErrorBytes);
        return undefined;
      }
      if (response.status !== 200) throw await this.#failureOf(response);
      const list = RepositoryList.safeParse(parseJson(await readText(response.body, maxResponseBytes)));
      if (!list.success) throw this.#failure("failed", "sent something else than a list of repositories");
      const { etag } = response.headers;
      return { tag: typeof etag === "string" ? etag : undefined, repositories: list.data.repositories };
    });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #headers(): Promise<Record<string, string>> {
    const { readSecret } = this.#options;
    const secret = await readSecret().catch((error: unknown) => {
      if (!isServiceError(error)) throw error;
      throw this.#failure("rejected", `cannot be asked, because its secret cannot be read: ${error.message}`);
    });
    return { authorization: `Bearer ${secret}`, accept: "application/json", "user-agent": "trawl" };
  }

  async #within<Result>(
    { signal, timeLimitMs }: RequestLimits,
    send: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const limit = new TimeLimit(signal, timeLimitMs);
    try {
      return await send(limit.signal);
    } catch (error) {
      if (signal.aborted) throw canceled();
      if (limit.isExpired)
        throw this.#failure("late", `did not respond within ${Math.round(timeLimitMs / 100) / 10} s`);
      if (error instanceof GitServerFailure || isServiceError(error)) throw error;
      if (error instanceof BodyTooLarge) throw this.#failure("failed", "sent too large a response");
      throw this.#failure("unreachable", "cannot be reached");
    } finally {
      // Ends a request whose response was not read to its end.
      limit.abort();
      limit.dispose();
    }
  }

  async #failureOf(response: OriginResponse): Promise<Error> {
    const { status } = response;
    const value = parseJson(await readText(response.body, maxErrorBytes));
    if (status === 401) return this.#failure("rejected", "rejects the secret");
    const { success, data } = ErrorObject.safeParse(value);
    const isOfRequest = success && status >= 400 && status < 500 && isErrorCode(data.errorCode);
    if (isOfRequest && isErrorCode(data.errorCode)) return new ServiceError(data.errorCode, data.message);
    return this.#failure("failed", `failed with status ${status}`);
  }

  #failure(outcome: GitServerFailure["outcome"], reason: string): GitServerFailure {
    return new GitServerFailure(this.#options.name, outcome, reason);
  }
}

function isResponse(name: HistoryOperation, value: unknown): boolean {
  const { isPaged, response } = operation(name);
  if (!isPaged) return response.safeParse(value).success;
  const page = paged.safeParse(value);
  return page.success && response.safeParse(page.data.items).success;
}
