/** What a failure looks like from outside, and what the log keeps of it. */
import { isServiceError, ServiceError } from "#base/error";
import { type ErrorObject, toErrorObject } from "#contract/error";
import type { Log } from "#platform/log";

/**
 * The error object of `error`; undefined for a cancelled call, whose caller is not there any more.
 *
 * A defect is logged with its stack. The caller is told of none of it.
 */
export function failureOf(
  error: unknown,
  log: Log,
  request: { method: string; path: string },
): ErrorObject | undefined {
  const failure = fromFramework(error);
  if (isServiceError(failure, "CANCELLED")) return undefined;
  const object = toErrorObject(failure);
  if (object.errorCode === "UNEXPECTED_ERROR") log.error("A call failed.", { ...request, error });
  return object;
}

/** What Fastify throws on its own account, in our words. */
function fromFramework(error: unknown): unknown {
  if (!(error instanceof Error) || !("statusCode" in error) || !("code" in error)) return error;
  if (error.statusCode === 415) {
    return new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The Content-Type cannot be read.", { cause: error });
  }
  if (error.code === "FST_ERR_BAD_URL") {
    return new ServiceError("MALFORMED_REQUEST", "The path is not percent-encoded UTF-8.", { cause: error });
  }
  if (typeof error.statusCode === "number" && error.statusCode < 500) {
    return new ServiceError("MALFORMED_REQUEST", "The request cannot be read.", { cause: error });
  }
  return error;
}
