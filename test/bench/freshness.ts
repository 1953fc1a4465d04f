/** Measures how long it takes until a search finds a change. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { git } from "./corpus";
import type { Product } from "./product";
import { heading, median, ms, printTable } from "./report";

const rounds = 5;
const patienceMs = 60_000;

export async function benchFreshness(product: Product, repository: string): Promise<void> {
  const saved: number[] = [];
  const committed: number[] = [];
  // Changes an existing file, because git might ignore a new one.
  const name = git(
    repository,
    "ls-files",
    "*.c",
    "*.h",
    "*.ts",
    "*.js",
    "*.go",
    "*.py",
    "*.md",
    "*.txt",
  ).split("\n")[0];
  if (!name) return;
  const path = join(repository, name);
  const text = readFileSync(path);
  const before = git(repository, "rev-parse", "HEAD");
  try {
    for (let round = 0; round < rounds; round++) {
      const word = `freshness${process.pid}x${round}y${Date.now()}`;
      writeFileSync(path, `${text}\n${word}\n`);
      saved.push(await untilFound(product, word, (origin) => origin !== "commit"));
      git(repository, "add", "-u", "--", name);
      git(repository, "commit", "-q", "-m", "Change one file");
      committed.push(await untilFound(product, word, (origin) => origin === "commit"));
    }
  } finally {
    git(repository, "update-ref", "refs/heads/main", before);
    writeFileSync(path, text);
    git(repository, "read-tree", before);
    git(repository, "update-index", "-q", "--refresh");
  }
  heading("Freshness");
  console.log(`Milliseconds until a search finds the change, over ${rounds} rounds.\n`);
  printTable(
    ["change", "median", "worst"],
    [
      ["saved file", ms(median(saved)), ms(Math.max(...saved))],
      ["commit", ms(median(committed)), ms(Math.max(...committed))],
    ],
  );
}

async function untilFound(
  product: Product,
  word: string,
  isWanted: (origin: string) => boolean,
): Promise<number> {
  const began = performance.now();
  for (;;) {
    const { files } = await product.search({ query: word });
    const elapsed = performance.now() - began;
    if (files.some(({ origin }) => isWanted(origin))) return elapsed;
    if (elapsed > patienceMs) return Number.NaN;
    await sleep(5);
  }
}
