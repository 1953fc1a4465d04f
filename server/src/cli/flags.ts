/** Parses the flags and arguments of a command. Throws USAGE, with a message that names the flag. */
import { parseArgs } from "node:util";
import { type ServiceError, usageError } from "#base/error";
import { nearestNames } from "#base/nearestNames";

export interface Flag {
  /** Without dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** Placeholder for the value in the help; absent for boolean flags. */
  readonly value?: string;
  /** May be repeated, each time with another value. */
  readonly isRepeatable?: true;
  readonly description: string;
  /** Omitted from the help, because only programs use it. */
  readonly isHidden?: true;
}

export class Flags {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  /** Arguments that are not flags, in order. */
  readonly positionals: readonly string[];

  constructor(values: ReadonlyMap<string, readonly string[]>, positionals: readonly string[]) {
    this.#values = values;
    this.positionals = positionals;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  texts(name: string): readonly string[] | undefined {
    return this.#values.get(name);
  }

  integer(name: string, minimum: number, maximum: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw usageError(`--${name} must be a whole number from ${minimum} to ${maximum}, not "${text}".`);
  }

  choice<Name extends string>(name: string, choices: readonly Name[]): Name | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw usageError(`--${name} must be ${choices.join(" or ")}, not "${text}".`);
  }
}

/**
 * Separates `args` into flags and positional arguments; everything after `--` is positional. `isPositional` recognizes
 * arguments that start with a dash but are not flags.
 */
export function readFlags(
  args: readonly string[],
  known: readonly Flag[],
  isPositional: (arg: string) => boolean = () => false,
): Flags {
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  const rest: string[] = [];
  const end = args.indexOf("--");
  const beforeEnd = end < 0 ? args : args.slice(0, end);
  // Positional arguments that look like flags get a prefix that no argument can contain, to hide them from the parser.
  for (const arg of beforeEnd) rest.push(isPositional(arg) ? `${positionalPrefix}${arg}` : arg);
  const { tokens } = parseArgs({
    args: rest,
    options: Object.fromEntries(known.map((flag) => [flag.name, toParseOption(flag)])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value.replace(positionalPrefix, ""));
    if (token.kind !== "option") continue;
    const flag = known.find((each) => each.name === token.name);
    if (flag === undefined) throw unknownFlag(token.rawName, known);
    values.set(flag.name, [...(values.get(flag.name) ?? []), flagValue(flag, token, values)]);
  }
  if (end >= 0) positionals.push(...args.slice(end + 1));
  return new Flags(values, positionals);
}

const positionalPrefix = "\0";

function toParseOption(flag: Flag): { type: "string" | "boolean"; short?: string; multiple: true } {
  const type = flag.value === undefined ? "boolean" : "string";
  return flag.short === undefined ? { type, multiple: true } : { type, short: flag.short, multiple: true };
}

function flagValue(
  flag: Flag,
  token: {
    readonly rawName: string;
    readonly value?: string | undefined;
    readonly inlineValue?: boolean | undefined;
  },
  values: ReadonlyMap<string, readonly string[]>,
): string {
  if (flag.value === undefined) {
    if (token.value !== undefined)
      throw usageError(`${token.rawName} takes no value, but got "${token.value}".`);
    return "";
  }
  if (token.value === undefined || token.value === "")
    throw usageError(`${token.rawName} requires a value: ${flag.value}.`);
  if (!token.inlineValue && token.value.startsWith("-")) {
    throw usageError(
      `${token.rawName} requires a value: ${flag.value}. For the value "${token.value}", write --${flag.name}=${token.value}.`,
    );
  }
  if (flag.isRepeatable === undefined && values.has(flag.name))
    throw usageError(`${token.rawName} is given more than once.`);
  return token.value;
}

function unknownFlag(flag: string, known: readonly Flag[]): ServiceError {
  const [near] = flag.startsWith("--")
    ? nearestNames(
        flag.slice(2),
        known.filter((flag) => !flag.isHidden).map((flag) => flag.name),
      )
    : [];
  return usageError(`Unknown flag ${flag}.${near === undefined ? "" : ` Did you mean --${near}?`}`);
}
