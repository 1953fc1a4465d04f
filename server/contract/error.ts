/**
 * The error object of every failed request, and the HTTP status of each error code.
 *
 * Defects (errors other than `ServiceError`) get a generic message, because their own might contain a path.
 */
import * as z from "zod";
import { type ErrorCode, isServiceError } from "#base/error";

export const errorStatus: Readonly<Record<ErrorCode, number>> = {
  MALFORMED_REQUEST: 400,
  INVALID_REQUEST_BODY: 400,
  INVALID_QUERY_PARAMS: 400,
  FAILED_TO_PARSE_QUERY: 400,
  INVALID_GIT_REF: 400,
  NOT_AUTHENTICATED: 401,
  INSUFFICIENT_PERMISSIONS: 403,
  LICENSE_REQUIRED: 403,
  REPOSITORY_NOT_TRUSTED: 403,
  LAST_OWNER_CANNOT_BE_REMOVED: 403,
  HOST_NOT_ALLOWED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  FILE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  ANSWER_TOO_LARGE: 422,
  HEADERS_TOO_LARGE: 431,
  UNEXPECTED_ERROR: 500,
  OVERLOADED: 503,
  ENGINE_UNAVAILABLE: 503,
  TIMED_OUT: 504,
};

export const ErrorObject = z
  .object({
    statusCode: z.int().describe("The HTTP status of the response."),
    errorCode: z
      .string()
      .describe(
        "Error code. `NOT_FOUND` also means that the repository lacks git objects that the response needs, because it is a partial clone or damaged.",
      ),
    message: z.string().describe("Human-readable message that names the field, value or position."),
    requestId: z
      .string()
      .exactOptional()
      .describe("Over HTTP: the request's ID, as in the header `X-Request-Id` and in the log."),
  })
  .describe("The response of every failed request.");
export type ErrorObject = z.output<typeof ErrorObject>;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorStatus, code);
}

/** Converts `error` to its error object. Never contains a stack, a path or the message of a defect. */
export function toErrorObject(error: unknown): ErrorObject {
  if (isServiceError(error) && isErrorCode(error.code)) {
    return { statusCode: errorStatus[error.code], errorCode: error.code, message: error.message };
  }
  return {
    statusCode: errorStatus.UNEXPECTED_ERROR,
    errorCode: "UNEXPECTED_ERROR",
    message: "An internal error occurred. See the log of the service for details.",
  };
}
