/** The help, laid out for a terminal of 80 columns. */
import { type Command, commands } from "./commands";
import type { Flag } from "./flags";

const columns = 80;

export function overview(version: string): string {
  return [
    `Trawl ${version}: search all your git repositories, at any revision, in milliseconds.`,
    "",
    "Usage: trawl COMMAND [flags] ...",
    "",
    ...table(commands.map((command) => [command.name, command.summary])),
    "",
    'Start with "trawl serve ~/src"; then, in another terminal, "trawl search WORD".',
    '"trawl COMMAND --help" tells more about each.',
    "",
  ].join("\n");
}

export function helpOf(command: Command): string {
  const shown = command.flags.filter((flag) => !flag.hidden);
  return [
    `Usage: ${command.usage}`,
    "",
    ...command.text.flatMap((paragraph) => [...wrap(paragraph, columns), ""]),
    ...table(shown.map((flag) => [flagTitle(flag), flag.text])),
    "",
    "Examples:",
    ...command.examples.flatMap(([line, does]) => [`  ${line}`, `      ${does}`]),
    "",
    ...(command.exitCodes === undefined
      ? []
      : ["Exit codes:", ...table(command.exitCodes.map(([code, meaning]) => [String(code), meaning])), ""]),
  ].join("\n");
}

function flagTitle(flag: Flag): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  return `${short}--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`;
}

function table(rows: readonly (readonly [title: string, text: string])[]): string[] {
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
