/** Converts errors to error objects, and logs defects. */
import { isServiceError, ServiceError } from "#base/error";
import { type ErrorObject, toErrorObject } from "#contract/error";
import type { Log } from "#platform/log";

/**
 * Returns the error object of `error`; `undefined` for a canceled call, whose caller has disconnected.
 *
 * Logs defects with their stack, which the caller does not see.
 */
export function failureOf(
  error: unknown,
  log: Log,
  request: { requestId: string; method: string; path: string },
): ErrorObject | undefined {
  const failure = fromFramework(error);
  if (isServiceError(failure, "CANCELLED")) return undefined;
  const object = { ...toErrorObject(failure), requestId: request.requestId };
  if (object.errorCode === "UNEXPECTED_ERROR") log.error("A call failed.", { ...request, error });
  return object;
}

/** Converts errors that Fastify throws itself. */
function fromFramework(error: unknown): unknown {
  if (!(error instanceof Error) || !("statusCode" in error) || !("code" in error)) return error;
  if (error.statusCode === 415) {
    return new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The Content-Type header is malformed.", {
      cause: error,
    });
  }
  if (error.code === "FST_ERR_BAD_URL") {
    return new ServiceError("MALFORMED_REQUEST", "The path is not percent-encoded UTF-8.", { cause: error });
  }
  if (typeof error.statusCode === "number" && error.statusCode < 500) {
    return new ServiceError("MALFORMED_REQUEST", "The request is malformed.", { cause: error });
  }
  return error;
}
