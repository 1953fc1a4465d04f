/**
 * The one error that rooms throw on purpose.
 *
 * Anything else that is thrown is a defect. `ErrorCode` is what callers may see (statuses: `#contract/error`);
 * `InternalCode` never leaves the process.
 */
export type ErrorCode =
  | "MALFORMED_REQUEST"
  | "INVALID_REQUEST_BODY"
  | "INVALID_QUERY_PARAMS"
  | "FAILED_TO_PARSE_QUERY"
  | "INVALID_GIT_REF"
  | "NOT_AUTHENTICATED"
  | "INSUFFICIENT_PERMISSIONS"
  | "LICENSE_REQUIRED"
  | "REPOSITORY_NOT_TRUSTED"
  | "LAST_OWNER_CANNOT_BE_REMOVED"
  | "HOST_NOT_ALLOWED"
  | "ORIGIN_NOT_ALLOWED"
  | "NOT_FOUND"
  | "FILE_NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "ANSWER_TOO_LARGE"
  | "HEADERS_TOO_LARGE"
  | "UNEXPECTED_ERROR"
  | "OVERLOADED"
  | "ENGINE_UNAVAILABLE"
  | "TIMED_OUT";

export type InternalCode = "CANCELLED" | "SHARD_DAMAGED" | "GIT_FAILED" | "STORAGE_FAILED" | "USAGE";

export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode | InternalCode;

  constructor(code: ErrorCode | InternalCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export function isServiceError(error: unknown, code?: ErrorCode | InternalCode): error is ServiceError {
  return error instanceof ServiceError && (code === undefined || error.code === code);
}

/** What a promise rejects with when its `AbortSignal` fires. */
export function cancelled(): ServiceError {
  return new ServiceError("CANCELLED", "Cancelled.");
}

/** Structural, because this file is compiled for every environment. */
export function throwIfAborted(signal: { readonly aborted: boolean } | undefined): void {
  if (signal?.aborted) throw cancelled();
}
