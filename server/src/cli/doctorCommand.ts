import { usageError } from "#base/error";
import { sanitize } from "#base/sanitize";
import { examine } from "#instance/doctor";
import type { Finding, Outcome } from "#instance/finding";
import { createLog } from "#platform/log";
import { readConfiguration } from "./configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { createPainter, type Style } from "./terminal";

const marks: Readonly<Record<Outcome, readonly [mark: string, style: Style]>> = {
  ok: ["✔", "good"],
  warning: ["!", "bold"],
  problem: ["✖", "bad"],
};

/** Returns 1 if there is a problem. */
export async function doctorCommand(context: CommandContext, flags: Flags): Promise<number> {
  if (flags.positionals.length > 0)
    throw usageError(`doctor takes no arguments, but got "${flags.positionals[0]}".`);
  const configuration = readConfiguration(flags, context.currentFolder, context.defaultDataDir);
  const { terminal } = context;
  const findings = await examine(
    configuration,
    createLog("error", () => undefined),
  );
  if (flags.has("json")) {
    const indent = terminal.isTty ? 2 : undefined;
    await terminal.print(`${JSON.stringify(findings, undefined, indent)}\n`);
  } else {
    const paint = createPainter(terminal.hasColors);
    await terminal.print(findings.map((finding) => describe(finding, paint)).join(""));
  }
  return findings.some(({ outcome }) => outcome === "problem") ? 1 : 0;
}

function describe(
  { name, outcome, detail, advice }: Finding,
  paint: ReturnType<typeof createPainter>,
): string {
  const [mark, style] = marks[outcome];
  const lines = [`${paint(style, mark)} ${paint("bold", name)}: ${sanitize(detail)}`];
  if (advice !== undefined) lines.push(`  ${sanitize(advice)}`);
  return `${lines.join("\n")}\n`;
}
