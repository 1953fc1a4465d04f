/** Formats the help for a terminal of 80 columns. */
import type { Command } from "./command";
import { commands } from "./commands";
import type { Flag } from "./flags";

const columns = 80;

export function formatOverview(version: string): string {
  return [
    `Trawl ${version}: search all your git repositories, at any revision, in milliseconds.`,
    "",
    "Usage: trawl COMMAND [flags] ...",
    "",
    ...formatTable(commands.map((command) => [command.name, command.summary])),
    "",
    'To start, run "trawl serve ~/src", then "trawl search WORD" in another terminal.',
    'Run "trawl COMMAND --help" for the flags and examples of a command.',
    "",
  ].join("\n");
}

export function formatCommandHelp(command: Command): string {
  const shown = command.flags.filter((flag) => !flag.isHidden);
  return [
    `Usage: ${command.usage}`,
    "",
    ...command.description.flatMap((paragraph) => [...wrap(paragraph, columns), ""]),
    ...formatTable(shown.map((flag) => [flagTitle(flag), flag.description])),
    "",
    "Examples:",
    ...command.examples.flatMap(([line, description]) => [`  ${line}`, `      ${description}`]),
    "",
    ...(command.exitCodes === undefined
      ? []
      : [
          "Exit codes:",
          ...formatTable(command.exitCodes.map(([code, meaning]) => [String(code), meaning])),
          "",
        ]),
  ].join("\n");
}

function flagTitle(flag: Flag): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  return `${short}--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`;
}

function formatTable(rows: readonly (readonly [title: string, text: string])[]): string[] {
  const width = Math.max(...rows.map(([title]) => title.length));
  return rows.flatMap(([title, text]) => {
    const [first = "", ...others] = wrap(text, columns - width - 4);
    return [`  ${title.padEnd(width)}  ${first}`, ...others.map((line) => `${" ".repeat(width + 4)}${line}`)];
  });
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
