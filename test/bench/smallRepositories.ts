/** Compares thousands of small repositories with one that has the same text. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { textOf, writeRepository } from "./corpus";
import { openFilesOf } from "./processes";
import { indexOnce, Product } from "./product";
import { heading, median, ms, printTable, ratio } from "./report";

const filesEach = 4;
const queries = ["retry_handler", "token_stream_parse_value", "request", "zebra", "config_error_buffer"];
const rounds = 11;

export async function benchSmallRepositories(folder: string, count: number): Promise<void> {
  const many = join(folder, "many");
  const one = join(folder, "one");
  const all = new Map<string, string>();
  for (let repository = 0; repository < count; repository++) {
    const files = new Map<string, string>();
    for (let file = 0; file < filesEach; file++) {
      const text = textOf(repository * filesEach + file);
      files.set(`file${file}.c`, text);
      all.set(`repository${repository}file${file}.c`, text);
    }
    writeRepository(join(many, `r${Math.floor(repository / 500)}`, `repository${repository}`), files);
  }
  writeRepository(join(one, "whole"), all);

  const built = await indexOnce(join(folder, "data-many"), [many]);
  await indexOnce(join(folder, "data-one"), [one]);
  const [apart, together] = [
    await measure(join(folder, "data-many")),
    await measure(join(folder, "data-one")),
  ];
  heading(`${count.toLocaleString("en")} small repositories`);
  console.log(
    `${built.documents} files, indexed in ${built.seconds.toFixed(1)} s. With an existing index: listening after ` +
      `${ms(apart.listeningMs)} ms, first response after ${ms(apart.firstResponseMs)} ms, ready after ` +
      `${ms(apart.readyMs)} ms, ${apart.openFiles ?? "?"} files open.\n`,
  );
  printTable(
    ["query (50 matches)", "many, ms", "one, ms", "many/one"],
    queries.map((query, n) => [
      `\`${query}\``,
      ms(apart.times[n]),
      ms(together.times[n]),
      ratio(apart.times[n], together.times[n]),
    ]),
  );
  rmSync(folder, { recursive: true, force: true });
}

async function measure(dataDir: string) {
  const began = performance.now();
  const product = await Product.start(dataDir, []);
  try {
    await product.search({ query: "retry_handler", matches: 50 });
    const firstResponseMs = performance.now() - began;
    const readyMs = await product.ready;
    const times: number[] = [];
    for (const query of queries) {
      const each: number[] = [];
      for (let round = 0; round < rounds; round++) {
        each.push((await product.search({ query, matches: 50 })).stats.duration / 1e6);
      }
      times.push(median(each));
    }
    const openFiles = openFilesOf(product.pid);
    return { listeningMs: product.listeningMs, firstResponseMs, readyMs, times, openFiles };
  } finally {
    await product.stop();
  }
}
