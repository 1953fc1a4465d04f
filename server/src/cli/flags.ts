/** Reading a command's words and flags. Everything wrong is a `USAGE` error that names the flag. */
import { parseArgs } from "node:util";
import { ServiceError } from "#base/error";
import { nearestNames } from "#base/nearest";

export interface Flag {
  /** Without its dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** What the help calls the value; a flag without one is on or off. */
  readonly value?: string;
  /** May be given more than once. */
  readonly many?: true;
  readonly text: string;
  /** Left out of the help: given by programs. */
  readonly hidden?: true;
}

export class Flags {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  /** What is no flag, in order. */
  readonly words: readonly string[];

  constructor(values: ReadonlyMap<string, readonly string[]>, words: readonly string[]) {
    this.#values = values;
    this.words = words;
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

  integer(name: string, least: number, most: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw usage(`--${name} takes a whole number from ${least} to ${most}, not "${text}".`);
  }

  choice<Name extends string>(name: string, choices: readonly Name[]): Name | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw usage(`--${name} takes ${choices.join(" or ")}, not "${text}".`);
  }
}

/**
 * Sorts `args` into flags and words.
 *
 * `isWord` names arguments that start with a dash and are no flags all the same.
 */
export function readFlags(
  args: readonly string[],
  known: readonly Flag[],
  isWord: (arg: string) => boolean = () => false,
): Flags {
  const values = new Map<string, string[]>();
  const words: string[] = [];
  const rest: string[] = [];
  const end = args.indexOf("--");
  const beforeEnd = end < 0 ? args : args.slice(0, end);
  // A word that looks like a flag is hidden from the parser behind a mark that no argument can hold.
  for (const arg of beforeEnd) rest.push(isWord(arg) ? `${hidden}${arg}` : arg);
  const { tokens } = parseArgs({
    args: rest,
    options: Object.fromEntries(known.map((flag) => [flag.name, optionOf(flag)])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value.replace(hidden, ""));
    if (token.kind !== "option") continue;
    const flag = known.find((each) => each.name === token.name);
    if (flag === undefined) throw unknownFlag(token.rawName, known);
    values.set(flag.name, [...(values.get(flag.name) ?? []), valueGiven(flag, token, values)]);
  }
  if (end >= 0) words.push(...args.slice(end + 1));
  return new Flags(values, words);
}

export function usage(message: string): ServiceError {
  return new ServiceError("USAGE", message);
}

const hidden = "\0";

function optionOf(flag: Flag): { type: "string" | "boolean"; short?: string; multiple: true } {
  const type = flag.value === undefined ? "boolean" : "string";
  return flag.short === undefined ? { type, multiple: true } : { type, short: flag.short, multiple: true };
}

function valueGiven(
  flag: Flag,
  token: {
    readonly rawName: string;
    readonly value?: string | undefined;
    readonly inlineValue?: boolean | undefined;
  },
  given: ReadonlyMap<string, readonly string[]>,
): string {
  if (flag.value === undefined) {
    if (token.value !== undefined)
      throw usage(`${token.rawName} takes no value, but was given "${token.value}".`);
    return "";
  }
  if (token.value === undefined || token.value === "")
    throw usage(`${token.rawName} needs a value: ${flag.value}.`);
  if (!token.inlineValue && token.value.startsWith("-")) {
    throw usage(
      `${token.rawName} needs a value: ${flag.value}. (If "${token.value}" is meant, write --${flag.name}=${token.value}.)`,
    );
  }
  if (flag.many === undefined && given.has(flag.name)) throw usage(`${token.rawName} was given twice.`);
  return token.value;
}

function unknownFlag(given: string, known: readonly Flag[]): ServiceError {
  const [near] = given.startsWith("--")
    ? nearestNames(
        given.slice(2),
        known.filter((flag) => !flag.hidden).map((flag) => flag.name),
      )
    : [];
  return usage(`There is no flag ${given}.${near === undefined ? "" : ` Did you mean --${near}?`}`);
}
