/** Commands with subcommands, such as `trawl keys list`. */

import type { ServiceError } from "#base/error";
import { usageError } from "#base/error";
import { nearestNames } from "#base/nearestNames";
import type { OperationName } from "#contract/operations";
import type { RequestInput, ResponseOf } from "#contract/service";
import type { Instance } from "#instance/instance";
import type { Purpose } from "#instance/leader";
import { readConfiguration } from "./configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";

/** Calls an operation of the leader of the data directory. */
export type SendRequest = <Name extends OperationName>(
  name: Name,
  request: RequestInput<Name>,
) => Promise<ResponseOf<Name>>;

/** Runs a subcommand and prints its result. `positionals` are the arguments after its name. */
export type Subcommand = (
  context: CommandContext,
  flags: Flags,
  positionals: readonly string[],
  send: SendRequest,
  instance: Instance,
) => Promise<void>;

/**
 * Runs the subcommand that the first argument names, and returns its exit code. `indexing` are the names of those that
 * also index. Throws USAGE if the argument names none of `subcommands`.
 */
export async function runSubcommand(
  context: CommandContext,
  flags: Flags,
  command: string,
  subcommands: Readonly<Record<string, Subcommand>>,
  indexing: readonly string[] = [],
): Promise<number> {
  const [name, ...positionals] = flags.positionals;
  const names = Object.keys(subcommands);
  const subcommand = name !== undefined && Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand === undefined) {
    const [near] = name === undefined ? [] : nearestNames(name, names);
    const hint = near === undefined ? `Available: ${names.join(", ")}.` : `Did you mean "${near}"?`;
    throw usageError(
      name === undefined
        ? `${command} requires a subcommand. ${hint}`
        : `Unknown subcommand "${command} ${name}". ${hint}`,
    );
  }
  const purpose = indexing.includes(name ?? "") ? "index" : "change";
  const run = async (send: SendRequest, instance: Instance) => {
    await subcommand(context, flags, positionals, send, instance);
    return 0;
  };
  return await withInstance(context, flags, run, purpose);
}

/** Runs `work` with an instance, then closes the instance. */
export async function withInstance(
  context: CommandContext,
  flags: Flags,
  work: (send: SendRequest, instance: Instance) => Promise<number>,
  purpose: Purpose = "change",
): Promise<number> {
  const configuration = readConfiguration(flags, context.currentFolder, context.defaultDataDir);
  const instance = await context.open(configuration, purpose);
  const call = { credentials: { kind: "local" }, signal: context.interrupted, source: "trawl" } as const;
  try {
    return await work((name, request) => instance.caller(name, request, call), instance);
  } finally {
    await instance.close();
  }
}

/** Returns the only argument of a subcommand; errors call it `what`. Throws USAGE if there is none or more than one. */
export function requireOnePositional(positionals: readonly string[], placeholder: string): string {
  const [word, more] = positionals;
  if (word === undefined) throw usageError(`Missing argument ${placeholder}.`);
  if (more !== undefined) throw tooManyArguments(more);
  return word;
}

/** Throws USAGE if there are any arguments. */
export function requireNoPositionals(positionals: readonly string[]): void {
  if (positionals[0] !== undefined) throw tooManyArguments(positionals[0]);
}

function tooManyArguments(word: string): ServiceError {
  return usageError(`Unexpected argument "${word}".`);
}

/** Formats rows as a table with columns separated by two spaces. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
