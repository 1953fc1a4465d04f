/** From the words of a command line to an exit code. */
import { isServiceError } from "#base/error";
import { nearestNames } from "#base/nearest";
import { backupCommand, restoreCommand } from "./backupCommands";
import { type Command, commands, startsServer } from "./commands";
import { type Flags, readFlags, usage } from "./flags";
import { helpOf, overview } from "./help";
import { indexCommand } from "./indexCommand";
import type { House } from "./instance";
import { keysCommand } from "./keysCommand";
import { licenseCommand } from "./licenseCommand";
import { membersCommand } from "./membersCommand";
import { removeCommand } from "./removeCommand";
import { searchCommand } from "./searchCommand";
import { serveCommand } from "./serveCommand";
import { statusCommand } from "./statusCommand";

const runs: Readonly<Record<string, (house: House, flags: Flags) => Promise<number>>> = {
  serve: serveCommand,
  index: indexCommand,
  search: searchCommand,
  status: statusCommand,
  remove: removeCommand,
  members: membersCommand,
  keys: keysCommand,
  license: licenseCommand,
  backup: backupCommand,
  restore: restoreCommand,
};

/** What a shell expects of a process that was interrupted. */
const interruptedCode = 130;

/** `args` without the program's own name. Defects are thrown; everything else is said and becomes a code. */
export async function main(args: readonly string[], house: House): Promise<number> {
  const { terminal } = house;
  const [first = "help", ...rest] = args;
  let command: Command | undefined;
  try {
    if (["help", "--help", "-h"].includes(first)) {
      const wanted = rest[0] === undefined ? undefined : commandNamed(rest[0]);
      await terminal.print(wanted === undefined ? overview(house.version) : helpOf(wanted));
      return args.length === 0 ? 2 : 0;
    }
    if (["--version", "-v", "version"].includes(first)) {
      await terminal.print(`trawl ${house.version}\n`);
      return 0;
    }
    const implied = startsServer(first);
    command = commandNamed(implied ? "serve" : first);
    const flags = readFlags(
      implied ? args : rest,
      command.flags,
      command.name === "search" ? isQuery : undefined,
    );
    if (flags.has("help")) {
      await terminal.print(helpOf(command));
      return 0;
    }
    if (flags.has("version")) {
      await terminal.print(`trawl ${house.version}\n`);
      return 0;
    }
    return (await runs[command.name]?.(house, flags)) ?? 2;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (house.interrupted.aborted) return interruptedCode;
    terminal.say(`trawl: ${error.message}\n`);
    if (error.code === "USAGE") {
      terminal.say(
        `"trawl ${command === undefined ? "" : `${command.name} `}--help" tells what is possible.\n`,
      );
      return 2;
    }
    return command?.name === "search" ? 2 : 1;
  }
}

function commandNamed(name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const names = commands.map((command) => command.name);
  const [near] = nearestNames(name, names);
  const hint = near === undefined ? `Commands: ${names.join(", ")}.` : `Did you mean "${near}"?`;
  throw usage(
    name.startsWith("-")
      ? `There is no flag ${name} before a command. ${hint}`
      : `There is no command "${name}". ${hint}`,
  );
}

/** A term that leaves out what it names, as in `-file:test` or `-(a or b)`, is no flag. */
function isQuery(arg: string): boolean {
  return /^-(\(|[a-z]+:)/i.test(arg);
}
