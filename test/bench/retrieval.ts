/** Measures whether the files that answer questions in plain words are among the first results, and at what cost. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { estimateTokens } from "#agents/printListing";
import { corpusCopy } from "./corpus";
import { fetchPackageTree } from "./packageTrees";
import { findRipgrep } from "./peers";
import { indexOnce, Product, postBytes, type SearchResponse } from "./product";
import { checkTargets, ownQuestions, type Question, type QuestionSet, readQuestions } from "./questions";
import { heading, ms, printTable, quantile, ratio } from "./report";
import { contentWords, type Half, isSamePath, meanScore, type Score, scoreRanking } from "./retrievalScore";

/** How a question becomes a query, and the arguments of the tool `grep`. */
const forms = {
  words: {
    query: (question: string) => `words:"${question.replaceAll(/["\\]/g, "\\$&")}"`,
    tool: (question: string) => ({ pattern: question, mode: "words" }),
  },
  or: {
    query: (question: string) => contentWords(question).join(" or "),
    tool: (question: string) => ({ patterns: contentWords(question).slice(0, maxPatterns) }),
  },
  plain: {
    query: (question: string) => question,
    tool: (question: string) => ({ pattern: question }),
  },
} as const;

/** The limit of the tool. */
const maxPatterns = 8;

export type Form = keyof typeof forms;
export const formNames = Object.keys(forms) as readonly Form[];

export interface RetrievalOptions {
  /** A folder of `NAME.json`; without it, the project's own. */
  readonly questions: string | undefined;
  /** A folder of git repositories `NAME`, for `questions`. */
  readonly repositories: string | undefined;
  readonly form: Form;
  /** The limit of matches of a search. */
  readonly limit: number;
  /** How many questions of the half `tune` to list, those with the lowest NDCG first. */
  readonly shownMisses: number;
}

/** What an agent reads, and whether it names a target. */
interface Reading {
  readonly tokens: number;
  readonly isCorrect: boolean;
}

interface Outcome {
  readonly corpus: string;
  readonly question: Question;
  readonly score: Score;
  readonly first: string | undefined;
  readonly ms: number;
  /** By the name of what an agent runs. */
  readonly readings: ReadonlyMap<string, Reading>;
}

/** Keeps fetched packages in `folder`, and indexes in `scratch`. */
export async function benchRetrieval(
  folder: string,
  scratch: string,
  options: RetrievalOptions,
): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const set of readQuestions(options.questions ?? ownQuestions)) {
    const repository =
      options.repositories === undefined
        ? corpusCopy(fetchPackageTree(set.name, join(folder, "packages")), folder)
        : join(options.repositories, set.name);
    checkTargets(set, repository);
    outcomes.push(...(await askAll(set, repository, join(scratch, "retrieval", set.name), options)));
  }
  printScores(outcomes, options);
  printReadings(outcomes);
  printMisses(outcomes, options.shownMisses);
}

async function askAll(
  set: QuestionSet,
  repository: string,
  dataDir: string,
  options: RetrievalOptions,
): Promise<readonly Outcome[]> {
  // Symbols count in the ranking, so that they have to be complete.
  await indexOnce(dataDir, [repository]);
  const program = await findRipgrep();
  const product = await Product.start(dataDir, [repository]);
  const client = new Client({ name: "bench", version: "1" });
  try {
    await product.ready;
    await client.connect(new StreamableHTTPClientTransport(new URL(`${product.url}/mcp`)));
    const form = forms[options.form];
    const search = (question: Question) =>
      postBytes(
        `${product.url}/api/search`,
        { query: form.query(question.text), matches: options.limit },
        product.agent,
      );
    // The first requests read files and compile code.
    for (const question of set.questions) await search(question);
    const outcomes: Outcome[] = [];
    for (const question of set.questions) {
      const began = performance.now();
      const body = await search(question);
      const elapsed = performance.now() - began;
      const { files } = JSON.parse(body.toString()) as SearchResponse;
      const ranked = [...new Set(files.map(({ fileName }) => fileName.text))];
      const readings = new Map([["tool grep", await readTool(client, form.tool(question.text), question)]]);
      if (program !== undefined) {
        for (const [name, reading] of readRipgrep(program, repository, question)) readings.set(name, reading);
      }
      outcomes.push({
        corpus: set.name,
        question,
        score: scoreRanking(ranked, question.targets),
        first: ranked[0],
        ms: elapsed,
        readings,
      });
    }
    return outcomes;
  } finally {
    await client.close();
    await product.stop();
  }
}

const shownFiles = 10;

async function readTool(client: Client, args: object, question: Question): Promise<Reading> {
  const { content, isError } = await client.callTool({ name: "grep", arguments: { ...args } });
  const [first] = content;
  const text = first?.type === "text" ? first.text : "";
  // An agent reads the error, too.
  if (isError) console.error(`The tool "grep" rejects ${JSON.stringify(args)}: ${text}\n`);
  // Headings are `REPOSITORY PATH@REF`, with a count in some modes; lines of text begin with their number.
  const paths = [...text.matchAll(/^(?!\d+[:-]|\()\S+ (.+?)@\S+(?: \(\d+\))?$/gm)].map(
    ([, path = ""]) => path,
  );
  return { tokens: estimateTokens(text), isCorrect: answers(paths, question) };
}

/** What an agent reads that searches for any of the words: everything, or only the first files. */
function readRipgrep(
  program: string,
  folder: string,
  question: Question,
): readonly (readonly [string, Reading])[] {
  const words = contentWords(question.text).flatMap((word) => ["-e", word]);
  const { stdout } = spawnSync(program, ["--no-config", "--sort=path", "-n", "-i", ...words, "."], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const lines = stdout.split("\n").map((line) => ({ line, path: /^\.\/(.*?):\d+:/.exec(line)?.[1] ?? "" }));
  const paths = [...new Set(lines.map(({ path }) => path))].filter((path) => path !== "");
  const first = paths.slice(0, shownFiles);
  const ofFirst = lines.filter(({ path }) => first.includes(path)).map(({ line }) => line);
  const isCorrect = question.targets.some((target) => paths.some((path) => isSamePath(path, target)));
  return [
    ["rg -n -i -e WORD ...", { tokens: estimateTokens(stdout), isCorrect }],
    [
      `the same, its first ${shownFiles} files`,
      { tokens: estimateTokens(ofFirst.join("\n")), isCorrect: answers(paths, question) },
    ],
  ];
}

/** Reports whether a target is among the first files. */
function answers(paths: readonly string[], { targets }: Question): boolean {
  const first = [...new Set(paths)].slice(0, shownFiles);
  return targets.some((target) => first.some((path) => isSamePath(path, target)));
}

function printScores(outcomes: readonly Outcome[], { form, limit }: RetrievalOptions): void {
  heading("Retrieval");
  console.log(
    `Questions in the form \`${form}\`, with a limit of ${limit} matches. Milliseconds are those of a request over ` +
      `HTTP with its response; "none" counts questions without any result.\n`,
  );
  const half = (name: Half) => outcomes.filter(({ question }) => question.half === name);
  const groups: (readonly [string, readonly Outcome[]])[] = [
    ...groupBy(outcomes, ({ corpus }) => corpus),
    ...groupBy(outcomes, ({ question }) => question.category),
    ["half for tuning", half("tune")],
    ["held-out half", half("test")],
    ["all", outcomes],
  ];
  printTable(
    ["", "questions", "NDCG@10", "recall@10", "MRR", "none", "p50, ms", "p95, ms"],
    groups.map(([name, group]) => {
      const { ndcg, recall, reciprocalRank } = meanScore(group.map(({ score }) => score));
      const times = group.map((each) => each.ms);
      return [
        name,
        String(group.length),
        ...[ndcg, recall, reciprocalRank].map((figure) => figure.toFixed(3)),
        String(group.filter(({ first }) => first === undefined).length),
        ms(quantile(times, 0.5)),
        ms(quantile(times, 0.95)),
      ];
    }),
  );
}

function groupBy(
  outcomes: readonly Outcome[],
  keyOf: (outcome: Outcome) => string,
): readonly (readonly [string, readonly Outcome[]])[] {
  return [...new Set(outcomes.map(keyOf))]
    .sort()
    .map((key) => [key, outcomes.filter((outcome) => keyOf(outcome) === key)]);
}

function printReadings(outcomes: readonly Outcome[]): void {
  heading("Tokens per correct answer");
  console.log(
    `An answer is correct if a target is among its first ${shownFiles} files; in the whole output of rg, if it ` +
      `is there at all.\n`,
  );
  let own: number | undefined;
  const rows: string[][] = [];
  for (const name of outcomes[0]?.readings.keys() ?? []) {
    const readings = outcomes.flatMap(({ readings }) => readings.get(name) ?? []);
    const tokens = readings.reduce((sum, reading) => sum + reading.tokens, 0);
    const correct = readings.filter(({ isCorrect }) => isCorrect).length;
    const each = tokens / correct;
    own ??= each;
    const mean = tokens / readings.length;
    const cost = correct === 0 ? "" : each.toFixed(0);
    rows.push([name, mean.toFixed(0), String(correct), cost, ratio(each, own)]);
  }
  printTable(["", "tokens per question", "correct", "tokens per correct answer", "to the tool"], rows);
}

/** Lists only questions for tuning: reading the others would make their figures worthless. */
function printMisses(outcomes: readonly Outcome[], count: number): void {
  if (count === 0) return;
  heading("Lowest scores of the half for tuning");
  const worst = outcomes
    .filter(({ question }) => question.half === "tune")
    .toSorted((one, other) => one.score.ndcg - other.score.ndcg)
    .slice(0, count);
  printTable(
    ["question", "corpus", "targets", "first result", "NDCG@10"],
    worst.map(({ corpus, question, score, first = "" }) => [
      question.text,
      corpus,
      question.targets.join(", "),
      first,
      score.ndcg.toFixed(3),
    ]),
  );
}
