/** Commands with an action as their first word, such as `trawl keys list`. */
import type { ServiceError } from "#base/error";
import { nearestNames } from "#base/nearest";
import type { OperationName } from "#contract/operations";
import type { AnswerOf, SentOf } from "#contract/service";
import { readConfiguration } from "./configuration";
import { type Flags, usage } from "./flags";
import type { House } from "./instance";

/** Asks the Trawl that holds the data folder. */
export type Ask = <Name extends OperationName>(name: Name, request: SentOf<Name>) => Promise<AnswerOf<Name>>;

/** Does what the words after the action say; prints its answer. */
export type Action = (house: House, flags: Flags, words: readonly string[], ask: Ask) => Promise<void>;

/** Throws USAGE where the first word names none of `actions`. */
export async function runAction(
  house: House,
  flags: Flags,
  command: string,
  actions: Readonly<Record<string, Action>>,
): Promise<number> {
  const [name, ...words] = flags.words;
  const names = Object.keys(actions);
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) {
    const [near] = name === undefined ? [] : nearestNames(name, names);
    const hint = near === undefined ? `It takes ${names.join(", ")}.` : `Did you mean "${near}"?`;
    throw usage(
      name === undefined
        ? `${command} needs an action. ${hint}`
        : `There is no "${command} ${name}". ${hint}`,
    );
  }
  return await asking(house, flags, async (ask) => {
    await action(house, flags, words, ask);
    return 0;
  });
}

/** Opens the way to the Trawl that holds the data folder for as long as `work` takes. */
export async function asking(
  house: House,
  flags: Flags,
  work: (ask: Ask) => Promise<number>,
): Promise<number> {
  const configuration = readConfiguration(flags, house.currentFolder, house.defaultDataDir);
  const instance = await house.open(configuration, "change");
  const call = { credentials: { kind: "local" }, signal: house.interrupted, source: "trawl" } as const;
  try {
    return await work((name, request) => instance.caller(name, request, call));
  } finally {
    await instance.close();
  }
}

/** The one word that an action takes. */
export function onlyWord(words: readonly string[], what: string): string {
  const [word, more] = words;
  if (word === undefined) throw usage(`${what} is missing.`);
  if (more !== undefined) throw tooMany(more);
  return word;
}

export function noWords(words: readonly string[]): void {
  if (words[0] !== undefined) throw tooMany(words[0]);
}

function tooMany(word: string): ServiceError {
  return usage(`There is one word too many: "${word}".`);
}

/** Rows as columns that stand below each other, two blanks apart. */
export function columns(rows: readonly (readonly string[])[]): string {
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
