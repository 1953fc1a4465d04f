/** The ratios of a run, and their drift since an earlier one. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { heading, printTable } from "./report";

interface Line {
  readonly date: string;
  readonly commit: string;
  readonly corpus: string;
  /** The major version of Node, such as `v24`: the same build takes 10 to 15 % less time in v24 than in v20. */
  readonly node: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** Smaller changes are noise. */
const minDrift = 0.1;
const node = process.version.split(".")[0] ?? "";

export class Figures {
  readonly #ratios = new Map<string, number>();

  /** Adds the ratio of Trawl's value to that of its peer. */
  add(name: string, value: number | undefined, peer: number | undefined): void {
    if (value === undefined || !peer) return;
    this.#ratios.set(name, Number((value / peer).toPrecision(3)));
  }

  /** Prints what has changed since the last line of `file` for this corpus and this version of Node. */
  printDrift(file: string, corpus: string): void {
    const last = existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Line)
          .findLast((line) => line.corpus === corpus && line.node === node)
      : undefined;
    if (last === undefined || this.#ratios.size === 0) return;
    heading("Drift");
    const rows = [...this.#ratios].flatMap(([name, now]) => {
      const before = last.figures[name];
      if (before === undefined || Math.abs(now / before - 1) < minDrift) return [];
      return [[name, before.toFixed(2), now.toFixed(2), `${((now / before - 1) * 100).toFixed(0)} %`]];
    });
    console.log(
      `Ratios to the peers that differ by ${minDrift * 100} % from ${last.commit} of ${last.date}.\n`,
    );
    printTable(["", "before", "now", "change"], rows);
  }

  /** Appends the figures to `file`, which is kept in version control. */
  record(file: string, corpus: string, commit: string): void {
    if (this.#ratios.size === 0) return;
    const date = new Date().toISOString().slice(0, 10);
    const line: Line = { date, commit, corpus, node, figures: Object.fromEntries(this.#ratios) };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }
}
