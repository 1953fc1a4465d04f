/**
 * Checks every message before its handler runs: whether it is allowed in this phase of the connection, and whether its
 * parameters have the right types. `vscode-languageserver` checks neither.
 *
 * Parameters that are absent, `null` or `[]` (Lua's empty table) count as `{}`.
 */
import {
  ErrorCodes,
  Message,
  type MessageStrategy,
  type NotificationMessage,
  type RequestMessage,
  ResponseError,
} from "vscode-languageserver/node";
import * as z from "zod";
import type { Log } from "#platform/log";
import { describeIssue, isPlainObject } from "#service/describeIssue";

type Phase = "new" | "initialized" | "shutDown";

/** Refused requests are redirected to this method, whose handler responds with the error. */
export const refusalMethod = "$/refuse";

export class MessageGate implements MessageStrategy {
  readonly #log: Log;
  #phase: Phase = "new";
  /** The errors of refused requests, by the parameters that the gate passes to `refusalMethod`. */
  readonly #refusals = new WeakMap<object, ResponseError<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  handleMessage(message: Message, next: (message: Message) => void | Promise<void>): void | Promise<void> {
    if (Message.isRequest(message)) return next(this.#admitRequest(message));
    if (!Message.isNotification(message)) return next(message);
    const admitted = this.#admitNotification(message);
    return admitted === undefined ? undefined : next(admitted);
  }

  /** Lets the client retry `initialize` after it failed. */
  initializeFailed(): void {
    this.#phase = "new";
  }

  /**
   * Returns the error of a refused request by the parameters passed to `refusalMethod`; if a client itself calls that
   * method, an error for an unknown method.
   */
  refusalOf(params: object): ResponseError<void> {
    return this.#refusals.get(params) ?? new ResponseError(ErrorCodes.MethodNotFound, "Unhandled method");
  }

  #admitRequest(message: RequestMessage): RequestMessage {
    const { method } = message;
    const isTooEarly = this.#phase === "new" && method !== "initialize";
    if (isTooEarly)
      return this.#refuse(
        message,
        ErrorCodes.ServerNotInitialized,
        'The server is not initialized. Send "initialize" first.',
      );
    if (this.#phase === "shutDown") {
      return this.#refuse(message, ErrorCodes.InvalidRequest, "The server has been shut down.");
    }
    if (method === "initialize" && this.#phase === "initialized") {
      return this.#refuse(message, ErrorCodes.InvalidRequest, "The server is already initialized.");
    }
    const params = normalizeParams(message);
    const problem = describeProblem(method, params);
    if (problem !== undefined) return this.#refuse(message, ErrorCodes.InvalidParams, problem);
    if (method === "initialize") this.#phase = "initialized";
    if (method === "shutdown") this.#phase = "shutDown";
    return { ...message, params } as RequestMessage;
  }

  /** Returns `undefined` for a notification that is ignored. */
  #admitNotification(message: NotificationMessage): NotificationMessage | undefined {
    const { method } = message;
    if (method === "exit") return message;
    if (this.#phase !== "initialized") return undefined;
    const params = normalizeParams(message);
    const problem = describeProblem(method, params);
    if (problem === undefined) return { ...message, params } as NotificationMessage;
    this.#log.warn(`Ignored ${method}: ${problem}`);
    return undefined;
  }

  #refuse(message: RequestMessage, code: number, reason: string): RequestMessage {
    const params = {};
    this.#refusals.set(params, new ResponseError(code, reason));
    return { ...message, method: refusalMethod, params };
  }
}

const methodsWithoutParams: ReadonlySet<string> = new Set(["shutdown"]);

function normalizeParams({ method, params }: RequestMessage | NotificationMessage): unknown {
  if (methodsWithoutParams.has(method)) return undefined;
  const positional: unknown = Array.isArray(params) && params.length <= 1 ? params[0] : params;
  const object = positional ?? {};
  const isMissingCapabilities =
    method === "initialize" && isPlainObject(object) && isEmpty(object["capabilities"]);
  return isMissingCapabilities ? { ...object, capabilities: {} } : object;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

const uinteger = z.int().min(0).max(0x7fff_ffff);
const position = z.object({ line: uinteger, character: uinteger });
const range = z.object({ start: position, end: position });
const textDocument = z.object({ uri: z.string() });
const textDocumentPosition = z.object({ textDocument, position });
const folders = z.array(z.object({ uri: z.string() }));

/** The parameters that handlers rely on, by method. */
const paramSchemas: Readonly<Record<string, z.ZodObject>> = {
  initialize: z.object({
    capabilities: z.looseObject({}),
    workspaceFolders: folders.nullish(),
    rootUri: z.string().nullish(),
    rootPath: z.string().nullish(),
  }),
  "textDocument/didOpen": z.object({ textDocument: textDocument.extend({ text: z.string() }) }),
  "textDocument/didChange": z.object({
    textDocument,
    contentChanges: z.array(z.object({ range: range.optional(), text: z.string() })),
  }),
  "textDocument/didSave": z.object({ textDocument }),
  "textDocument/didClose": z.object({ textDocument }),
  "textDocument/definition": textDocumentPosition,
  "textDocument/references": textDocumentPosition.extend({
    context: z.object({ includeDeclaration: z.boolean().optional() }).optional(),
  }),
  "textDocument/hover": textDocumentPosition,
  "textDocument/documentSymbol": z.object({ textDocument }),
  "workspace/symbol": z.object({ query: z.string() }),
  "workspace/textDocumentContent": textDocument,
  "workspace/didChangeWorkspaceFolders": z.object({
    event: z.object({ added: folders, removed: folders }),
  }),
};

/** Describes the first field with a wrong type; `undefined` if there is none. */
function describeProblem(method: string, params: unknown): string | undefined {
  if (methodsWithoutParams.has(method)) return undefined;
  if (!isPlainObject(params)) return "The parameters must be an object.";
  const schema = Object.hasOwn(paramSchemas, method) ? paramSchemas[method] : undefined;
  const issue = schema?.safeParse(params).error?.issues[0];
  return schema && issue && describeIssue(schema, params, issue);
}
