/**
 * Sends hostile regular expressions over HTTP to a real server, in every part of a query that takes one.
 *
 * Each response must arrive soon after the deadline of its search. Meanwhile a probe polls the health endpoint and another
 * client searches for plain text; at the end the server must stop although it is busy. Some responses that claim to be
 * complete are compared with the linear engine's results on the same texts.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SearchResult } from "#contract/search";
import { compileExpression, type Expression } from "#query/regexp/regexp";
import { quantile } from "#test/bench/report";
import { Contention } from "#test/support/contention";
import type { Random } from "#test/support/corpus";
import { repo } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import type { Campaign, CampaignOptions, CampaignResult } from "./campaign";
import { hostilePattern } from "./patterns";

/** Short, so that patterns that use it up do not make the campaign endless. */
const timeLimitMs = 250;
const allowedLateMs = 1000;
const maxHealthMs = 250;
const maxStopMs = 2000;
const inFlight = 6;
/** Comparing is slow, so it is done after all measurements. */
const maxComparisons = 3000;
const maxComparedLength = 300;
const maxComparingMs = 60_000;
const probePauseMs = 50;

const unit = ["a", "ab", "aab", "abc", "k", "K", "s", "é", "b", "z", "aaaa", "1", "_", "\u{1f600}", "λ"];
const texts: Readonly<Record<string, string>> = {
  "short.txt": "aaaaaaaa\nabababab!end\nkkkkkkkk zzzzzzzz\nword_word_\n",
  "lines.txt": Array.from(
    { length: 300 },
    (_, at) => `${(unit[at % unit.length] ?? "").repeat(at % 40)}x`,
  ).join("\n"),
  "long.txt": `${"a".repeat(20_000)}\n${"ab".repeat(5000)}x\n`,
  "mixed.txt": unit.map((each) => each.repeat(200)).join("\n"),
  "wide.txt": `${"é\u{1f600}aλ".repeat(3000)}\n`,
  "kelvin.txt": "\u212aK kſs\n".repeat(200),
  "prose.txt": "the quick brown fox jumps over the lazy dog, and comes back.\n".repeat(300),
  "code.ts": `export function ${"a".repeat(60)}b() {}\nexport const ${"ab".repeat(40)} = 1;\nexport class Kkkkkk {}\n`,
  "ordinary.txt": "there is one plain_needle here\n",
};
const names = ["a", "ab", "aab", "k"].map((each) => `deep/${each.repeat(50)}/${each.repeat(60)}.txt`);

type Position =
  | "text"
  | "content"
  | "file"
  | "repo"
  | "rev"
  | "sym"
  | "commit"
  | "author"
  | "read"
  | "complete";
const positions: readonly Position[] = [
  ...["text", "text", "text", "content", "content", "file", "file", "repo", "rev", "sym", "sym"],
  ...["commit", "author", "read", "complete"],
] as Position[];

interface Case {
  readonly position: Position;
  readonly pattern: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isWholeWord: boolean;
  readonly isCaseSensitive: boolean;
}

class Figures {
  readonly responseMs: number[] = [];
  readonly healthMs: number[] = [];
  readonly healthOwnMs: number[] = [];
  readonly ordinaryMs: number[] = [];
  readonly byStatus = new Map<string, number>();
  readonly failures: string[] = [];
  readonly comparable: { readonly each: Case; readonly found: readonly string[]; readonly shown: string }[] =
    [];
  /** Cases that have no response yet. */
  readonly running = new Set<string>();
  complete = 0;
  compared = 0;
  stopMs = 0;
}

export const regexps: Campaign = {
  summary: "hostile regular expressions in every part of a query; a case is one pattern in one part",
  fullCount: 100_000,
  shortCount: 600,
  async run({ count, random, scratch }: CampaignOptions): Promise<CampaignResult> {
    const configuration = join(scratch, "trawl.json");
    writeFileSync(configuration, JSON.stringify({ timeLimitMs }));
    const path = makeRepository(join(scratch, "code"));
    const served = await serve(join(scratch, "data"), [path], { flags: ["--config", configuration] });
    const figures = new Figures();
    const contention = new Contention(served.process.pid ?? 0);
    try {
      await served.ready();
      let isDone = false;
      const beside = Promise.all([
        probe(served, figures, contention, () => isDone),
        searchPlainly(served, figures, contention, () => isDone),
      ]);
      // Failures of these are thrown below, after the cases.
      beside.catch(() => {});
      let left = count;
      const work = async () => {
        while (left-- > 0) await tryOne(served, makeCase(random), figures, contention);
      };
      await Promise.all(Array.from({ length: inFlight }, work));
      isDone = true;
      await beside;
      await stopBusy(served, random, figures, contention);
    } finally {
      contention.end();
      await served.kill();
    }
    compareAll(figures);
    return { figures: rowsOf(figures), failures: figures.failures };
  },
};

function makeRepository(path: string): string {
  const made = repo("= main: One\na.txt\n| text\n", { path });
  for (const [name, text] of Object.entries(texts)) made.write(name, text);
  for (const name of names) made.write(name, "deep\n");
  made.git("add", ".");
  made.git("commit", "-q", "-m", "a".repeat(60), "-m", `${"ab".repeat(500)}\n${"k".repeat(300)}`);
  for (const message of Object.values(texts))
    made.git("commit", "-q", "--allow-empty", "-m", message.slice(0, 30_000));
  made.git("branch", "a".repeat(100));
  return path;
}

function makeCase(random: Random): Case {
  const pattern = hostilePattern(random);
  const position = random.pick(positions);
  const isCaseSensitive = random.chance(0.5);
  const flags = { isRegexEnabled: true, isCaseSensitivityEnabled: isCaseSensitive };
  const isWholeWord = random.chance(0.1);
  const whole = { isWholeWordEnabled: isWholeWord, matches: 5000 };
  const search = (query: string) => ({ path: "search", body: { query, ...flags, ...whole } });
  const request = {
    text: () => search(`(?:${pattern})`),
    content: () => search(`content:(?:${pattern})`),
    file: () => search(`file:(?:${pattern})`),
    repo: () => search(`repo:(?:${pattern}) a`),
    rev: () => search(`rev:${pattern} a`),
    sym: () => search(`sym:(?:${pattern})`),
    commit: () => search(`type:commit (?:${pattern})`),
    author: () => search(`type:commit author:(?:${pattern})`),
    read: () => ({
      path: "read_query",
      body: { query: `${pattern} sym:${pattern}`.slice(0, 9999), ...flags },
    }),
    complete: () => {
      const query = `repo:${pattern} rev:`;
      return { path: "complete_query", body: { query, offset: query.length, isRegexEnabled: true } };
    },
  }[position]();
  return { position, pattern, isCaseSensitive, isWholeWord, ...request };
}

async function tryOne(served: Served, each: Case, figures: Figures, contention: Contention): Promise<void> {
  const shown = `${each.position} ${JSON.stringify(each.body).slice(0, 600)}`;
  const startedAt = performance.now();
  figures.running.add(shown);
  let status: number;
  let text: string;
  try {
    ({ status, text } = await post(served, each));
  } catch (error) {
    figures.failures.push(`${shown}: ${String(error)}`);
    return;
  } finally {
    figures.running.delete(shown);
  }
  const took = performance.now() - startedAt;
  figures.responseMs.push(took);
  const key = `${each.position} ${status}`;
  figures.byStatus.set(key, (figures.byStatus.get(key) ?? 0) + 1);
  if (![200, 400, 504].includes(status))
    figures.failures.push(`${shown}: status ${status} ${text.slice(0, 200)}`);
  const late = took - timeLimitMs - allowedLateMs - contention.ofAllThreads(startedAt);
  if (late > 0) figures.failures.push(`${shown}: responded after ${Math.round(took)} ms`);
  if (status !== 200 || each.path !== "search") return;
  const result = JSON.parse(text) as SearchResult;
  if (!result.isSearchExhaustive) return;
  figures.complete++;
  const { position, pattern, isWholeWord } = each;
  const isComparable = ["text", "content", "file"].includes(position) && !isWholeWord;
  if (isComparable && pattern.length <= maxComparedLength && figures.comparable.length < maxComparisons)
    figures.comparable.push({ each, found: result.files.map(({ fileName }) => fileName.text), shown });
}

/** Compares the matching files with those of the linear engine on the same texts. */
function compareAll(figures: Figures): void {
  const until = performance.now() + maxComparingMs;
  for (const { each, found, shown } of figures.comparable) {
    if (performance.now() > until) return;
    const { position, pattern, isCaseSensitive } = each;
    const expression = compileExpression(`(?:${pattern})`, isCaseSensitive);
    // The location of an empty match depends on how the text is split.
    if (expression.needsWholeDocument || expression.findLinear("", 0) !== undefined) continue;
    figures.compared++;
    const expected = Object.entries(allDocuments)
      .filter(([name, text]) => matches(expression, position, name, text))
      .map(([name]) => name)
      .sort();
    const shownFound = found.toSorted().join();
    if (shownFound !== expected.join())
      figures.failures.push(`${shown}: found ${shownFound}, but the linear engine ${expected.join()}`);
  }
}

const allDocuments: Readonly<Record<string, string>> = {
  ...texts,
  "a.txt": "text\n",
  ...Object.fromEntries(names.map((name) => [name, "deep\n"])),
};

function matches(expression: Expression, position: Position, name: string, text: string): boolean {
  const inName = expression.findLinear(name, 0) !== undefined;
  if (position === "file") return inName;
  const inText = text.split("\n").some((line) => expression.findLinear(line, 0) !== undefined);
  return inText || (position === "text" && inName);
}

async function probe(
  served: Served,
  figures: Figures,
  contention: Contention,
  isDone: () => boolean,
): Promise<void> {
  while (!isDone()) {
    const startedAt = performance.now();
    const during = [...figures.running];
    const response = await fetch(`${served.url}/api/health`);
    await response.text();
    const took = performance.now() - startedAt;
    figures.healthMs.push(took);
    figures.healthOwnMs.push(Math.max(0, took - contention.ofMainThread(startedAt)));
    if (response.status !== 200) figures.failures.push(`health: status ${response.status}`);
    if (took > maxHealthMs + contention.ofMainThread(startedAt))
      figures.failures.push(`health: responded after ${Math.round(took)} ms during ${during.join("; ")}`);
    await new Promise((resolve) => setTimeout(resolve, probePauseMs));
  }
}

async function searchPlainly(
  served: Served,
  figures: Figures,
  contention: Contention,
  isDone: () => boolean,
): Promise<void> {
  while (!isDone()) {
    const startedAt = performance.now();
    const { files, isSearchExhaustive, stats } = await served.search({ query: "plain_needle", matches: 10 });
    const took = performance.now() - startedAt;
    figures.ordinaryMs.push(took);
    const isRight = files.length === 1 || (!isSearchExhaustive && stats.flushReason === "TIME_LIMIT");
    if (!isRight) figures.failures.push(`plain search: found ${files.length} files, ${stats.flushReason}`);
    if (took > timeLimitMs + allowedLateMs + contention.ofAllThreads(startedAt))
      figures.failures.push(`plain search: responded after ${Math.round(took)} ms`);
    await new Promise((resolve) => setTimeout(resolve, probePauseMs));
  }
}

/** Stops the server while it searches. */
async function stopBusy(
  served: Served,
  random: Random,
  figures: Figures,
  contention: Contention,
): Promise<void> {
  const busy = Array.from({ length: inFlight }, () => post(served, makeCase(random)).catch(() => undefined));
  await new Promise((resolve) => setTimeout(resolve, probePauseMs));
  const startedAt = performance.now();
  const { code, stderr } = await served.stop();
  figures.stopMs = performance.now() - startedAt;
  await Promise.all(busy);
  if (code !== 0) figures.failures.push(`stop: exit code ${code} ${stderr.slice(-500)}`);
  if (figures.stopMs > maxStopMs + contention.ofAllThreads(startedAt))
    figures.failures.push(`stop: took ${Math.round(figures.stopMs)} ms`);
  if (stderr.includes("defect")) figures.failures.push(`stderr: ${stderr.slice(-500)}`);
}

async function post(served: Served, { path, body }: Case): Promise<{ status: number; text: string }> {
  const response = await fetch(`${served.url}/api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

function rowsOf({
  responseMs,
  healthMs,
  healthOwnMs,
  ordinaryMs,
  byStatus,
  ...rest
}: Figures): (readonly [string, string])[] {
  const times = (values: readonly number[]) => {
    const sorted = values.toSorted((left, right) => left - right);
    return [0.5, 0.99, 1].map((part) => quantile(sorted, part).toFixed(0)).join(" / ");
  };
  return [
    ["responses, ms: median / p99 / worst", times(responseMs)],
    ["health, ms: median / p99 / worst", times(healthMs)],
    ["health without waiting for a processor, ms", times(healthOwnMs)],
    ["plain searches, ms: median / p99 / worst", times(ordinaryMs)],
    ["complete responses", String(rest.complete)],
    ["compared with the linear engine", String(rest.compared)],
    ["shutdown while busy, ms", rest.stopMs.toFixed(0)],
    ...[...byStatus].sort().map(([key, value]) => [key, String(value)] as const),
  ];
}
