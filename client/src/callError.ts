/** How a call of the service fails: the error object of the contract, as an `Error`. Pure: knows no VS Code. */
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

/** Codes of JSON-RPC with which a server answers; every other failure without an error object means that none did. */
const answered: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32602, -32603, -32803]);

/** What a rejected request says; `SERVER_GONE` where no server answered it. */
export function callError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  const { code, data, message } = error as {
    readonly code?: unknown;
    readonly data?: Partial<ErrorObject>;
    readonly message?: string;
  };
  const errorCode = data?.errorCode ?? (answered.has(code) ? "UNEXPECTED_ERROR" : "SERVER_GONE");
  return new CallError(errorCode, data?.message ?? message ?? String(error), { cause: error });
}
