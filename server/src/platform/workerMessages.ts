/**
 * The messages between the main thread and a worker. Both come from the same build, so the messages may change freely.
 */
import { type ErrorCode, type InternalCode, isServiceError, ServiceError } from "#base/error";

export type ToWorker<Input> =
  /** The first message: one cancellation flag per call under way, in shared memory. */
  | { readonly kind: "flags"; readonly flags: Int32Array }
  | { readonly kind: "call"; readonly call: number; readonly flag: number; readonly input: Input }
  /** The caller has processed the oldest unacknowledged partial result of the call. */
  | { readonly kind: "acknowledge"; readonly call: number }
  /** No more calls will follow. */
  | { readonly kind: "end" };

export type FromWorker =
  | { readonly call: number; readonly kind: "partial"; readonly value: unknown }
  | { readonly call: number; readonly kind: "done"; readonly value: unknown }
  | { readonly call: number; readonly kind: "failed"; readonly error: EncodedError };

/** An error as plain data, because classes do not survive structured cloning. */
export interface EncodedError {
  readonly code?: ErrorCode | InternalCode;
  readonly message: string;
  readonly stack?: string;
}

export function encodeError(error: unknown): EncodedError {
  if (!(error instanceof Error)) return { message: String(error) };
  const stack = error.stack === undefined ? {} : { stack: error.stack };
  return isServiceError(error)
    ? { code: error.code, message: error.message, ...stack }
    : { message: error.message, ...stack };
}

export function decodeError(error: EncodedError): Error {
  const decoded =
    error.code === undefined ? new Error(error.message) : new ServiceError(error.code, error.message);
  if (error.stack !== undefined) decoded.stack = error.stack;
  return decoded;
}
