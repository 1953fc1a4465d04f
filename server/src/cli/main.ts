/** Runs a command line and returns its exit code. */
import { isServiceError, usageError } from "#base/error";
import { nearestNames } from "#base/nearestNames";
import { backupCommand, restoreCommand } from "./backupCommands";
import { clusterCommand } from "./clusterCommand";
import type { Command } from "./command";
import { commands } from "./commands";
import type { CommandContext } from "./context";
import { doctorCommand } from "./doctorCommand";
import { startsServer } from "./editorFlags";
import { type Flags, readFlags } from "./flags";
import { formatCommandHelp, formatOverview } from "./help";
import { hostsCommand } from "./hostsCommand";
import { indexCommand } from "./indexCommand";
import { keysCommand } from "./keysCommand";
import { licenseCommand } from "./licenseCommand";
import { mcpCommand } from "./mcpCommand";
import { membersCommand } from "./membersCommand";
import { removeCommand } from "./removeCommand";
import { searchCommand } from "./searchCommand";
import { serveCommand } from "./serveCommand";
import { sessionsCommand } from "./sessionsCommand";
import { statusCommand } from "./statusCommand";
import { toolCommand } from "./toolCommand";

const implementations: Readonly<Record<string, (context: CommandContext, flags: Flags) => Promise<number>>> =
  {
    serve: serveCommand,
    index: indexCommand,
    search: searchCommand,
    tool: toolCommand,
    mcp: mcpCommand,
    status: statusCommand,
    doctor: doctorCommand,
    remove: removeCommand,
    hosts: hostsCommand,
    cluster: clusterCommand,
    members: membersCommand,
    keys: keysCommand,
    sessions: sessionsCommand,
    license: licenseCommand,
    backup: backupCommand,
    restore: restoreCommand,
  };

/** The exit code that shells expect of an interrupted process. */
const interruptedCode = 130;

/** `args` excludes the program name. Reports expected errors on standard error; throws only for defects. */
export async function main(args: readonly string[], context: CommandContext): Promise<number> {
  const code = await run(args, context);
  // A server can still respond to its clients. Any other command fails if its result could not be printed.
  return context.terminal.hasFailed && code < 2 && !isServeCommand(args) ? 2 : code;
}

function isServeCommand([first = "help"]: readonly string[]): boolean {
  return first === "serve" || startsServer(first);
}

async function run(args: readonly string[], context: CommandContext): Promise<number> {
  const { terminal } = context;
  const [first = "help", ...rest] = args;
  let command: Command | undefined;
  try {
    if (["help", "--help", "-h"].includes(first)) {
      const requestedCommand = rest[0] === undefined ? undefined : findCommand(rest[0]);
      await terminal.print(
        requestedCommand === undefined
          ? formatOverview(context.version)
          : formatCommandHelp(requestedCommand),
      );
      return args.length === 0 ? 2 : 0;
    }
    if (["--version", "-v", "version"].includes(first)) {
      await terminal.print(`trawl ${context.version}\n`);
      return 0;
    }
    const impliesServe = startsServer(first);
    command = findCommand(impliesServe ? "serve" : first);
    const flags = readFlags(
      impliesServe ? args : rest,
      command.flags,
      command.name === "search" ? isNegatedTerm : undefined,
    );
    if (flags.has("help")) {
      await terminal.print(formatCommandHelp(command));
      return 0;
    }
    if (flags.has("version")) {
      await terminal.print(`trawl ${context.version}\n`);
      return 0;
    }
    return (await implementations[command.name]?.(context, flags)) ?? 2;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (context.interrupted.aborted) return interruptedCode;
    terminal.printError(`trawl: ${error.message}\n`);
    if (error.code === "USAGE") {
      terminal.printError(
        `Run "trawl ${command === undefined ? "" : `${command.name} `}--help" for usage.\n`,
      );
      return 2;
    }
    return command?.name === "search" ? 2 : 1;
  }
}

function findCommand(name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const names = commands.map((command) => command.name);
  const [near] = nearestNames(name, names);
  const hint = near === undefined ? `Commands: ${names.join(", ")}.` : `Did you mean "${near}"?`;
  throw usageError(
    name.startsWith("-")
      ? `Unknown flag ${name} before the command. ${hint}`
      : `Unknown command "${name}". ${hint}`,
  );
}

/** Whether an argument is a negated query term, such as `-file:test` or `-(a or b)`, and not a flag. */
function isNegatedTerm(arg: string): boolean {
  return /^-(\(|[a-z]+:)/i.test(arg);
}
