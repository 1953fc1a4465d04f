/** Prints callers as an indented tree. */
import * as z from "zod";
import type { CallDefinition, CallHierarchy, CallSites } from "#contract/calls";
import { count } from "./fileHeading";
import { lineNumber } from "./output";
import type { Line } from "./tool";

/** A definition in structured content; those with a greater depth after it call it. */
export const callItem = z.object({
  name: z.string(),
  kind: z.string(),
  repo: z.string(),
  path: z.string(),
  line: lineNumber,
  depth: z.int().min(0),
  certainty: z.string().optional(),
  /** Lines of its calls. */
  calls: z.array(lineNumber).optional(),
});
type CallItem = z.output<typeof callItem>;

const maxSiteLines = 10;

/** Returns one line for each caller below each definition of the name. A caller is expanded only once. */
export function callerLines({ definitions, calls }: CallHierarchy): readonly Line[] {
  const byCallee = new Map<number, CallSites[]>();
  for (const call of calls) {
    const known = byCallee.get(call.callee);
    if (known === undefined) byCallee.set(call.callee, [call]);
    else known.push(call);
  }
  const lines: Line[] = [];
  const expanded = new Set<number>();
  const print = (index: number, level: number) => {
    const isRepeated = expanded.has(index);
    expanded.add(index);
    for (const { caller, certainty, sites } of byCallee.get(index) ?? []) {
      const definition = definitions[caller];
      if (definition === undefined || isRepeated) continue;
      const numbers = sites.slice(0, maxSiteLines).map(({ range }) => range.start.lineNumber);
      const more = sites.length > maxSiteLines ? ", …" : "";
      const isExpanded = expanded.has(caller) && byCallee.has(caller);
      const facts = `${certainty}${isExpanded ? ", see above" : ""}`;
      const where = `${numbers.length === 1 ? "line" : "lines"} ${numbers.join(", ")}${more}`;
      const text = `${"  ".repeat(level)}${describe(definition)} calls at ${where}   [${facts}]`;
      lines.push({ text, item: { ...itemOf(definition, level), certainty, calls: numbers } });
      if (!isExpanded) print(caller, level + 1);
    }
  };
  for (const [index, definition] of definitions.entries()) {
    if (definition.depth > 0 || !byCallee.has(index)) continue;
    lines.push({ text: `callers of ${describe(definition)}:`, item: itemOf(definition, 0) });
    print(index, 1);
  }
  return lines;
}

export function summarizeCalls({ stats, definitions }: CallHierarchy): string {
  const callers = definitions.filter(({ depth }) => depth > 0).length;
  const least = stats.isExhaustive === false ? "At least " : "";
  return `${least}${count(stats.matchCount, "call")} in ${count(callers, "definition")}.`;
}

/** Returns the number of files that contain the calls. */
export function callingFileCount({ definitions, calls }: CallHierarchy): number {
  const files = calls.map(({ caller }) => {
    const { repository = "", fileName = "" } = definitions[caller] ?? {};
    return `${repository}\0${fileName}`;
  });
  return new Set(files).size;
}

function itemOf({ symbol, kind, repository, fileName, range }: CallDefinition, depth: number): CallItem {
  return { name: symbol, kind, repo: repository, path: fileName, line: range.start.lineNumber, depth };
}

function describe({ symbol, kind, parent, repository, fileName, range }: CallDefinition): string {
  const name = parent.symbol === "" ? symbol : `${parent.symbol}.${symbol}`;
  return `${kind} ${name} ${repository} ${fileName}:${range.start.lineNumber}`;
}
