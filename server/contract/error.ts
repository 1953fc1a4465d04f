/**
 * The one shape in which every failure leaves the service, and the status of each code.
 *
 * A defect (anything that is no `ServiceError`) is told in a neutral sentence: its message could carry a path.
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
    statusCode: z.int().describe("The HTTP status of the answer."),
    errorCode: z.string().describe("What went wrong, for programs."),
    message: z.string().describe("What went wrong, for people; names the field, value or place."),
  })
  .describe("What every failed call answers.");
export type ErrorObject = z.output<typeof ErrorObject>;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorStatus, code);
}

/** What the caller is told of `error`. Never a stack, a path or the text of a defect. */
export function toErrorObject(error: unknown): ErrorObject {
  if (isServiceError(error) && isErrorCode(error.code)) {
    return { statusCode: errorStatus[error.code], errorCode: error.code, message: error.message };
  }
  return {
    statusCode: errorStatus.UNEXPECTED_ERROR,
    errorCode: "UNEXPECTED_ERROR",
    message: "Something went wrong inside the service. Its log says what.",
  };
}
