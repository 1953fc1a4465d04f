/** Runs a tool by name: checks its arguments, prints its result within the budget, and turns errors into advice. */
import { isServiceError, ServiceError } from "#base/error";
import { nearestNames } from "#base/nearestNames";
import { sanitize } from "#base/sanitize";
import type { ToolResponse } from "#contract/agentTools";
import { toErrorObject } from "#contract/error";
import type { Call, Caller } from "#contract/service";
import { formatValue, isPlainObject } from "#service/describeIssue";
import { validateObject } from "#service/validate";
import { hashCall, readCursor, writeCursor } from "./cursor";
import { clipToTokens, type PrintedListing, printListing } from "./printListing";
import { defaultMaxTokens, PageInput, type Send, type Tool } from "./tool";
import { tools } from "./tools";

export interface ToolOptions {
  /** Whether the response also contains the result as data. Default: false. */
  readonly isStructured?: boolean;
  /** Called with defects, whose message nobody else gets. */
  readonly onDefect: (error: unknown) => void;
}

/**
 * Rejects with CANCELLED, and with NOT_AUTHENTICATED, which only the transport can explain.
 */
export async function runTool(
  name: string,
  args: unknown,
  caller: Caller,
  call: Omit<Call, "emit">,
  { isStructured = false, onDefect }: ToolOptions,
): Promise<ToolResponse> {
  const send: Send = (operation, request) => caller(operation, request, call);
  try {
    const { text, structured } = await run(findTool(name), args ?? {}, send, isStructured);
    return structured === undefined ? { text, isError: false } : { text, isError: false, structured };
  } catch (error) {
    if (isServiceError(error, "CANCELLED") || isServiceError(error, "NOT_AUTHENTICATED")) throw error;
    const { errorCode, message } = toErrorObject(error);
    if (errorCode === "UNEXPECTED_ERROR") onDefect(error);
    const lines = nameArgument(message, name).split("\n").map(sanitize).join("\n");
    const text = [`Error: ${lines}`, ...adviceAbout(message)].join(" ");
    return { text: clipToTokens(text, budgetOf(args)), isError: true };
  }
}

/** By field of a request: the arguments that it may come from. */
const argumentsByField: Readonly<Record<string, readonly string[]>> = {
  changedText: ["text"],
  language: ["lang"],
  query: ["message"],
  ref: ["rev", "head"],
  repoName: ["repo"],
  revisionName: ["rev"],
  symbolName: ["symbol"],
};

/** Replaces the request field at the start of a message with the argument of the tool that it comes from. */
function nameArgument(message: string, toolName: string): string {
  const { shape } = tools.find(({ name }) => name === toolName)?.input ?? { shape: {} };
  return message.replace(/^"(\w+)"(?= (?:must|contains|cannot|needs)\b)/, (field, name: string) => {
    if (Object.hasOwn(shape, name) || !Object.hasOwn(argumentsByField, name)) return field;
    const argument = argumentsByField[name]?.find((each) => Object.hasOwn(shape, each));
    return argument === undefined ? field : `"${argument}"`;
  });
}

/** Returns the next step for errors of the service that do not name one. */
function adviceAbout(message: string): readonly string[] {
  if (/^Git reference .* could not be resolved|^Revision .* not found/s.test(message)) {
    return ['The tool "repos" lists indexed revisions.'];
  }
  if (message.endsWith("is a plain folder and has no history.")) {
    return ['Use "read", "outline", "grep", "find" or "uses", without "rev".'];
  }
  return [];
}

async function run(tool: Tool, args: unknown, send: Send, isStructured: boolean): Promise<PrintedListing> {
  checkNames(tool, args);
  const input = validateObject(tool.input, args, "INVALID_REQUEST_BODY");
  const { maxTokens, cursor } = PageInput.parse(input);
  const hash = hashCall(tool.name, input);
  const offset = cursor === undefined ? 0 : readCursor(cursor, hash);
  const listing = await tool.run(input, { send, offset });
  return printListing(listing, maxTokens, offset, (next) => writeCursor(next, hash), isStructured);
}

/** The budget of an error about any arguments. */
function budgetOf(args: unknown): number {
  const parsed = PageInput.shape.maxTokens.safeParse(isPlainObject(args) ? args["maxTokens"] : undefined);
  return parsed.success ? parsed.data : defaultMaxTokens;
}

function findTool(name: string): Tool {
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const names = tools.map((tool) => tool.name);
  throw new ServiceError(
    "NOT_FOUND",
    `There is no tool ${formatValue(name)}. ${suggestion(name, names, "Tools")}`,
  );
}

/** Throws INVALID_REQUEST_BODY for arguments that the tool does not have: ignoring one would find something else. */
function checkNames({ name, input }: Tool, args: unknown): void {
  if (!isPlainObject(args)) return;
  const known = Object.keys(input.shape);
  const unknown = Object.keys(args).find((each) => !known.includes(each));
  if (unknown === undefined) return;
  throw new ServiceError(
    "INVALID_REQUEST_BODY",
    `${name} has no argument ${formatValue(unknown)}. ${suggestion(unknown, known, "Arguments")}`,
  );
}

function suggestion(word: string, known: readonly string[], what: string): string {
  const [near] = nearestNames(word.slice(0, 100), known);
  return near === undefined ? `${what}: ${known.join(", ")}.` : `Did you mean "${near}"?`;
}
