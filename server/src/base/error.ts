/** The codes of errors that clients may see. `#contract/error` maps them to HTTP statuses. */
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

/** The codes of errors that never leave the process. */
export type InternalCode = "CANCELLED" | "SHARD_DAMAGED" | "GIT_FAILED" | "STORAGE_FAILED" | "USAGE";

/** An expected failure. Any other error that reaches a caller is a defect. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode | InternalCode;

  constructor(code: ErrorCode | InternalCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Whether an error is a `ServiceError`, with this code if one is given. */
export function isServiceError(error: unknown, code?: ErrorCode | InternalCode): error is ServiceError {
  return error instanceof ServiceError && (code === undefined || error.code === code);
}

/** Returns the error of wrong flags, arguments or configuration. */
export function usageError(message: string): ServiceError {
  return new ServiceError("USAGE", message);
}

/** Returns the error with which a promise rejects when its `AbortSignal` fires. */
export function canceled(): ServiceError {
  return new ServiceError("CANCELLED", "The request was canceled.");
}

/**
 * Throws CANCELLED if the signal has fired. Structurally typed, because this file is compiled for every environment.
 */
export function throwIfAborted(signal: { readonly aborted: boolean } | undefined): void {
  if (signal?.aborted) throw canceled();
}
