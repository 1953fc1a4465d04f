/** Generates requests of all kinds from a seed and the text of a corpus. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Random } from "#test/support/corpus";
import { git } from "./corpus";

export interface ComparedRequest {
  readonly kind: string;
  /** A path of the API, or the name of a tool for agents. */
  readonly target: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What queries are made of. */
interface Sample {
  readonly paths: readonly string[];
  /** Lines with at least two words. */
  readonly lines: readonly string[];
  /** Words of these lines, so that frequent ones occur more often. */
  readonly words: readonly string[];
  /** Lines of English, from comments and documentation. */
  readonly sentences: readonly string[];
}

const sampledFiles = 600;
const maxSampledBytes = 200_000;
const linesPerFile = 40;

/** Returns the same requests for the same seed and the same corpus. */
export function generateRequests(corpus: string, seed: number, count: number): readonly ComparedRequest[] {
  const random = new Random(seed);
  const sample = readSample(corpus, random);
  return Array.from({ length: count }, () => random.pick(kinds)(random, sample));
}

function readSample(corpus: string, random: Random): Sample {
  const paths = git(corpus, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0").filter(Boolean);
  const lines: string[] = [];
  for (let file = 0; file < sampledFiles; file++) {
    const path = join(corpus, random.pick(paths));
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.size > maxSampledBytes) continue;
    const text = readFileSync(path, "latin1");
    const long = text.split("\n").filter((line) => wordsOf(line).length > 1 && isPlain(line));
    for (let line = 0; line < linesPerFile && long.length > 0; line++) lines.push(random.pick(long));
  }
  const sentences = lines.filter((line) => /^\W*([A-Za-z]{2,} ){4}/.test(line));
  return { paths, lines, words: lines.flatMap(wordsOf), sentences };
}

const wordsOf = (line: string) => line.match(/[A-Za-z_]\w{2,}/g) ?? [];
const isPlain = (line: string) => line.length < 200 && /^[\t\x20-\x7e]*$/.test(line);
const quoted = (text: string) => JSON.stringify(text);
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/"]/g, "\\$&");

type Generate = (random: Random, sample: Sample) => ComparedRequest;

function search(
  kind: string,
  query: (random: Random, sample: Sample) => string,
  flags: object = {},
): Generate {
  return (random, sample) => {
    const matches = random.pick([1, 20, 50, 50, 250, 250, 500, 500, 2000, 20_000]);
    const matchesPerFile = random.pick([0, 0, 0, 1, 3]);
    const body = {
      query: query(random, sample),
      ...flags,
      matches,
      contextLines: random.pick([0, 0, 3]),
      ...(matchesPerFile === 0 ? {} : { matchesPerFile }),
      ...(random.chance(0.3) ? { isCaseSensitivityEnabled: true } : {}),
      ...(random.chance(0.2) ? { enclosing: true } : {}),
      ...(random.chance(0.1) ? { explain: true } : {}),
      ...(matches <= 50 && random.chance(0.1) ? { whole: true } : {}),
    };
    return { kind, target: "/api/search", body };
  };
}

const word: (random: Random, sample: Sample) => string = (random, { words }) => random.pick(words);

function phrase(random: Random, { lines }: Sample): string {
  const words = wordsOf(random.pick(lines));
  const from = random.between(0, words.length - 2);
  return words.slice(from, from + random.between(2, 3)).join(" ");
}

function fragment(random: Random, { lines }: Sample): string {
  const line = random.pick(lines).trim();
  const from = random.between(0, Math.max(0, line.length - 8));
  return line.slice(from, from + random.between(4, 30));
}

function expression(random: Random, sample: Sample): string {
  const words = wordsOf(random.pick(sample.lines));
  const [first = "", second = ""] = words;
  return random.pick([
    `${first}.*${second}`,
    `(${first}|${word(random, sample)})\\(`,
    `${first.slice(0, 4)}\\w*${first.slice(-3)}`,
    `^\\s*${escaped(random.pick(sample.lines).trim().slice(0, 12))}`,
    `\\b[a-z]+_${second}\\b`,
    `${first}\\s*[=(,;]`,
    `(?i)${first.toLowerCase()}s?\\b`,
  ]);
}

function filtered(random: Random, sample: Sample): string {
  const path = random.pick(sample.paths);
  const term = word(random, sample);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = path.split("/")[0] ?? "";
  return random.pick([
    `${term} file:${name}`,
    `${term} file:^${escaped(folder)}`,
    `${term} -file:${escaped(folder)}`,
    `${term} ${word(random, sample)} -${word(random, sample)}`,
    `${term} or ${word(random, sample)}`,
    `(${term} or ${word(random, sample)}) ${word(random, sample)}`,
    `content:${term} lang:c`,
    `file:${name}`,
    `${term} tests:no`,
    `type:file ${term}`,
  ]);
}

function description(random: Random, { sentences, lines }: Sample): string {
  const words = wordsOf(random.pick(sentences.length === 0 ? lines : sentences));
  return `words:${quoted(words.slice(0, random.between(2, 6)).join(" "))}`;
}

function count(random: Random, sample: Sample): ComparedRequest {
  const groupBy = random.pick(["", "repo", "folder", "language", "symbol", "text"]);
  const body = { query: word(random, sample), ...(groupBy === "" ? {} : { groupBy }) };
  return { kind: "count", target: "/api/count", body };
}

function symbols(random: Random, sample: Sample): ComparedRequest {
  const match = random.pick(["exact", "prefix", "fuzzy"]);
  const name = word(random, sample);
  const query = match === "exact" ? name : name.slice(0, random.between(3, 8));
  return { kind: "symbols", target: "/api/find_symbols", body: { query, match } };
}

function grep(random: Random, sample: Sample): ComparedRequest {
  const text = random.pick([word, word, phrase, fragment])(random, sample);
  const args = random.pick([
    { pattern: text },
    { pattern: text, context: 2 },
    { pattern: expression(random, sample), regex: true },
    { patterns: [text, word(random, sample)], mode: "files" },
    { pattern: phrase(random, sample), mode: "words" },
  ]);
  return { kind: "tool grep", target: "grep", body: args };
}

const kinds: readonly Generate[] = [
  search("word", word),
  search("word", word),
  search("word", word),
  search("whole word", word, { isWholeWordEnabled: true }),
  search("phrase", phrase),
  search("phrase", phrase),
  search("text", (random, sample) => quoted(fragment(random, sample))),
  search("expression", expression, { isRegexEnabled: true }),
  search("expression", expression, { isRegexEnabled: true }),
  search("filters", filtered),
  search("filters", filtered),
  search("definitions", (random, sample) => `sym:${word(random, sample)}`),
  search("description", description),
  search("description", description),
  count,
  symbols,
  grep,
  grep,
  (random, sample) => ({ kind: "tool uses", target: "uses", body: { symbol: word(random, sample) } }),
];
