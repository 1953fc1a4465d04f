/** The error object of the contract as an `Error`. Pure: does not use VS Code. */
import type { ErrorObject } from "#contract/error";

export class CallError extends Error {
  /** A code of the contract, or `SERVER_GONE`. */
  readonly errorCode: string;

  constructor(errorCode: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CallError";
    this.errorCode = errorCode;
  }
}

/** JSON-RPC error codes that a server sends. Any other failure without an error object means that no server responded. */
const serverErrorCodes: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32602, -32603, -32803]);

/** Converts the error of a rejected request; the code is `SERVER_GONE` if no server responded. */
export function callError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  const { code, data, message } = error as {
    readonly code?: unknown;
    readonly data?: Partial<ErrorObject>;
    readonly message?: string;
  };
  const errorCode = data?.errorCode ?? (serverErrorCodes.has(code) ? "UNEXPECTED_ERROR" : "SERVER_GONE");
  return new CallError(errorCode, data?.message ?? message ?? String(error), { cause: error });
}
