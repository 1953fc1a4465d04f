/** Sends operations to a team's server over its REST API. Nothing in a response is trusted. */
import type * as z from "zod";
import { canceled, isServiceError, ServiceError } from "#base/error";
import { ErrorObject, isErrorCode } from "#contract/error";
import { isServedOverHttp, usesQueryString } from "#contract/operation";
import { type OperationName, operation } from "#contract/operations";
import type { EventOf, ResponseOf } from "#contract/service";
import { BodyTooLarge, OriginClient, type OriginResponse, parseJson, readText } from "#platform/originClient";
import { TimeLimit } from "#platform/timeLimit";
import { readEvents } from "#remote/events";
import type { ServerAddress } from "./address";
import { adopt } from "./adopt";
import { ServerFailure, shownText } from "./serverFailure";

/** Maximum size of a response, which takes several times as much memory. */
const maxResponseBytes = 32 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;
const maxRetryAfterMs = 60_000;
/** The owner of the server may grant access at any time, or the network stop refusing, and no wrong key is counted. */
const refusedRetryMs = 60_000;

/** Returns an API key or an OAuth access token; `undefined` for anonymous access. */
export type ReadKey = () => Promise<string | undefined>;

export interface SendOptions<Name extends OperationName> {
  readonly signal: AbortSignal;
  /** Until the response is complete. */
  readonly timeLimitMs: number;
  readonly emit?: ((event: EventOf<Name>) => void | Promise<void>) | undefined;
}

export class ServerRequests {
  readonly #address: ServerAddress;
  readonly #readKey: ReadKey;
  readonly #client: OriginClient;

  constructor(address: ServerAddress, readKey: ReadKey) {
    this.#address = address;
    this.#readKey = readKey;
    this.#client = new OriginClient(address.origin, maxResponseBytes);
  }

  /**
   * Rejects with CANCELLED when the signal fires, with the `ServiceError` of the server if this request is at fault, and
   * with a `ServerFailure` if the server is.
   */
  async send<Name extends OperationName>(
    name: Name,
    request: object,
    { signal, timeLimitMs, emit }: SendOptions<Name>,
  ): Promise<ResponseOf<Name>> {
    const limit = new TimeLimit(signal, timeLimitMs);
    try {
      const response = await this.#request(name, request, limit.signal);
      return await this.#read(name, response, emit);
    } catch (error) {
      if (signal.aborted) throw canceled();
      if (limit.isExpired)
        throw new ServerFailure("unreachable", `The server did not respond within ${timeLimitMs / 1000} s.`);
      if (error instanceof ServerFailure || isServiceError(error)) throw error;
      throw failureOf(error);
    } finally {
      // Ends a request whose response was not read to its end.
      limit.abort();
      limit.dispose();
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #request(name: OperationName, request: object, signal: AbortSignal): Promise<OriginResponse> {
    const row = operation(name);
    if (!isServedOverHttp(row) || row.http.method === "DELETE")
      throw new Error(`${name} is not sent to other servers.`);
    const { method, path } = row.http;
    const key = row.access === "open" ? undefined : await this.#readKey();
    const headers: Record<string, string> = {
      accept: row.event === undefined ? "application/json" : "text/event-stream",
      "user-agent": "trawl",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    const fullPath = this.#address.basePath + path;
    if (usesQueryString(row))
      return this.#client.request({ method, path: fullPath + queryString(request), headers, signal });
    headers["content-type"] = "application/json";
    return this.#client.request({ method, path: fullPath, headers, body: JSON.stringify(request), signal });
  }

  async #read<Name extends OperationName>(
    name: Name,
    response: OriginResponse,
    emit: SendOptions<Name>["emit"],
  ): Promise<ResponseOf<Name>> {
    if (response.status !== 200) throw await this.#failedResponse(response);
    const row = operation(name);
    if (row.event === undefined) {
      const value = this.#validate(row.response, parseJson(await readText(response.body)));
      if (!row.isPaged) return value as ResponseOf<Name>;
      const total = Number(response.headers["x-total-count"]);
      const items = value as readonly unknown[];
      const page = { items, total: Number.isSafeInteger(total) && total >= 0 ? total : items.length };
      return page as ResponseOf<Name>;
    }
    for await (const { event, data } of readEvents(response.body)) {
      if (event === "done") return this.#validate(row.response, parseJson(data)) as ResponseOf<Name>;
      if (event === "error") throw serviceErrorOf(parseJson(data)) ?? notTrawl();
      if (emit === undefined) continue;
      await emit(this.#validate(row.event, { event, data: parseJson(data) }) as EventOf<Name>);
    }
    throw new ServerFailure(
      "unreachable",
      "The server closed the connection before its response was complete.",
    );
  }

  #validate(schema: z.ZodType, value: unknown): unknown {
    const result = schema.safeParse(value);
    if (!result.success) throw notTrawl();
    return adopt(result.data, this.#address);
  }

  async #failedResponse({ status, headers, body }: OriginResponse): Promise<Error> {
    if (status >= 300 && status < 400) return redirected(headers["location"], this.#address);
    const error = serviceErrorOf(parseJson(await readText(body, maxErrorBytes).catch(() => "")));
    const code = error?.code;
    if (status === 401 || code === "NOT_AUTHENTICATED") {
      const reason = error === undefined ? "." : `: "${error.message}"`;
      return new ServerFailure(
        "rejected",
        `The server rejected the API key${reason} Log in again, or replace "team.key" in the configuration file.`,
      );
    }
    if (
      code === "HOST_NOT_ALLOWED" ||
      code === "INSUFFICIENT_PERMISSIONS" ||
      (status === 403 && error === undefined)
    )
      return new ServerFailure(
        "rejected",
        `The server refused the request. ${error?.message ?? "Ask its owner for access."}`,
        refusedRetryMs,
      );
    if (status === 429 || status === 503) {
      const seconds = Number(headers["retry-after"]);
      const afterMs =
        Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, maxRetryAfterMs) : undefined;
      return new ServerFailure("busy", error?.message ?? `The server is busy (status ${status}).`, afterMs);
    }
    if (error !== undefined) return error;
    return status >= 500
      ? new ServerFailure("unreachable", `The server failed with status ${status}.`)
      : notTrawl(` (status ${status})`);
  }
}

function notTrawl(detail = ""): ServerFailure {
  return new ServerFailure(
    "invalid",
    `The server did not respond like a Trawl server of a compatible version${detail}. Check its address and its version.`,
  );
}

function redirected(location: string | string[] | undefined, { url }: ServerAddress): ServerFailure {
  const target =
    typeof location === "string" && URL.canParse(location, url) ? new URL(location, url) : undefined;
  const isWeb = target?.protocol === "https:" || target?.protocol === "http:";
  const where = isWeb ? ` to ${shownText(target.origin)}` : "";
  return new ServerFailure(
    "invalid",
    `The server redirects${where}. Redirects are not followed, so that the key goes nowhere else. Enter the address that the server really has.`,
  );
}

function serviceErrorOf(value: unknown): ServiceError | undefined {
  const { success, data } = ErrorObject.safeParse(value);
  if (!success) return undefined;
  const { errorCode, message } = data;
  return new ServiceError(isErrorCode(errorCode) ? errorCode : "UNEXPECTED_ERROR", shownText(message));
}

/** Describes a failure of the network by its code; messages of errors may contain more than users should see. */
function failureOf(error: unknown): ServerFailure {
  if (error instanceof BodyTooLarge)
    return new ServerFailure(
      "invalid",
      `The response of the server is larger than ${maxResponseBytes / 2 ** 20} MiB.`,
    );
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  const name = shownText(String(cause?.code ?? code ?? "unknown error"));
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/.test(name);
  const advice = isCertificate
    ? " If its authority is your own, name its certificate in the environment variable NODE_EXTRA_CA_CERTS."
    : "";
  return new ServerFailure("unreachable", `The server cannot be reached: ${name}.${advice}`);
}

function queryString(request: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(request)) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}
