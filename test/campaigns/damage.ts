/**
 * Damages one file of a data directory, starts Trawl on it, and sends requests whose responses are known.
 *
 * Every response must be correct, report that it is incomplete, or be an error that states the reason. In the end the
 * damage must be repaired, or a message must say what to do. Wrong responses, internal errors, crashes and hangs fail.
 */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SearchResult } from "#contract/search";
import { type Damage, damaged, damages, type Section, sectionsOf } from "#test/support/damage";
import { eventually } from "#test/support/eventually";
import { newLicenseKeys } from "#test/support/organization";
import { repo } from "#test/support/repo";
import { listening, type Served } from "#test/support/served";
import { startTrawl, trawl } from "#test/support/trawl";
import type { Campaign, CampaignOptions } from "./campaign";

const queries = [
  "needle",
  "needle lang:typescript",
  "sym:alpha",
  "type:symbol a",
  "rev:v1 needle",
  "file:two",
  "repo:one needle or haystack",
];

/** A process that neither responds nor exits within this time counts as hanging. */
const timeLimitMs = 60_000;

interface Template {
  readonly folder: string;
  /** Copied to `data` for each case. */
  readonly original: string;
  readonly data: string;
  readonly config: string;
  readonly key: string;
  readonly revokedKey: string;
  /** By query. */
  readonly expected: readonly (readonly string[])[];
  /** Kinds of files with their names below the data directory, or below `folder`. */
  readonly kinds: ReadonlyMap<string, readonly string[]>;
}

interface Case {
  readonly kind: string;
  readonly file: string;
  readonly section: Section;
  readonly damage: Damage;
}

type Outcome = "correct" | "repaired" | "rejected with a reason";

export const damage: Campaign = {
  summary: "starts on a data directory with a damaged file; a case is one damaged section",
  fullCount: 400,
  shortCount: 14,
  async run(options) {
    const template = await prepare(options);
    const outcomes = new Map<string, Map<Outcome, number>>();
    const failures: string[] = [];
    for (const each of casesOf(template, options)) {
      const { kind, file, section, damage } = each;
      try {
        const outcome = await attempt(template, each, options);
        const counts = outcomes.get(kind) ?? new Map<Outcome, number>();
        outcomes.set(kind, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        failures.push(`${file}, ${damage} ${section.name} (${section.offset}+${section.length}): ${reason}`);
      }
    }
    const figures = [...outcomes].map(([kind, counts]) => {
      const message = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
      return [kind, message] as const;
    });
    return { figures, failures };
  },
};

async function prepare({ scratch }: CampaignOptions): Promise<Template> {
  const folder = scratch;
  const [data, original, config] = ["data", "original", "trawl.json"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const one = repo(
    "= main: One\nsrc/one.ts\n| export function alpha() { return 'needle'; }\n| export const haystack = alpha();\nREADME.md\n| A needle, and a haystack.\n",
    { path: join(folder, "code", "one") },
  );
  repo("= main: One\ntwo.py\n| def alphabet():\n|     return 'needle'\n", {
    path: join(folder, "code", "two"),
  });
  one.git("tag", "v1");
  const licenseKeys = newLicenseKeys();
  writeFileSync(config, JSON.stringify({ licenseMakers: [licenseKeys.publicKey], auditDays: 90 }), {
    mode: 0o600,
  });
  writeFileSync(join(folder, "maker.pem"), licenseKeys.privateKey, { mode: 0o600 });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await trawl(args, folder);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const here = ["--data-dir", data, "--config", config];
  const issue = [
    "license",
    "issue",
    "--key",
    "maker.pem",
    "--organization",
    "Example",
    "--expires",
    "2999-12-31",
  ];
  writeFileSync(join(folder, "license"), await run(...issue));
  await run("index", join(folder, "code"), ...here);
  const [key = ""] = /trwl_\S+/.exec(await run("keys", "create", "scripts", ...here)) ?? [];
  const [revokedKey = ""] = /trwl_\S+/.exec(await run("keys", "create", "old", ...here)) ?? [];
  await run("backup", join(folder, "backup"), ...here);
  // A killed server leaves a delta, a nonempty log, its lock and its address.
  const server = await start(data, config);
  if (typeof server === "string") throw new Error(server);
  one.write("src/three.ts", "export function alphaThree() { return 'needle'; }\n");
  one.git("add", ".");
  one.git("commit", "-q", "-m", "Two");
  const query = "file:three alphaThree";
  await eventually(async () => (await server.search(query)).stats.totalMatchCount > 0);
  await eventually(async () => (await queryAll(server)).every(({ isWhole }) => isWhole));
  await run("keys", "revoke", "old", ...here);
  for (let count = 0; count < 3; count++) assert.equal((await withKey(server, key)).status, 200);
  const expected = (await queryAll(server)).map(({ lines }) => lines);
  assert(
    expected.every(({ length }) => length > 0),
    JSON.stringify(expected),
  );
  await server.kill();
  cpSync(data, original, { recursive: true, filter: (path) => !path.endsWith(".sock") });
  return { folder, original, data, config, key, revokedKey, expected, kinds: kindsOf(original) };
}

function kindsOf(original: string): ReadonlyMap<string, readonly string[]> {
  const kinds = new Map<string, string[]>();
  const add = (kind: string, file: string) => kinds.set(kind, [...(kinds.get(kind) ?? []), file]);
  for (const entry of readdirSync(original, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name).slice(original.length + 1);
    const ending = /\.(shard|symbols|manifest)$/.exec(path)?.[1];
    add(ending ?? path, path);
  }
  for (const file of ["backup", "license", "trawl.json"]) add(file, file);
  return kinds;
}

/** All cases in random order, alternating between kinds of files. */
function casesOf({ kinds, original, folder }: Template, { count, random }: CampaignOptions): readonly Case[] {
  const byKind = [...kinds].map(([kind, files]) => {
    const cases = files.flatMap((file) => {
      const path = [join(original, file), join(folder, file)].find((each) => existsSync(each)) ?? file;
      return sectionsOf(file, readFileSync(path)).flatMap((section) =>
        damages.map((damage) => ({ kind, file, section, damage, order: random.next() })),
      );
    });
    return cases.sort((left, right) => left.order - right.order);
  });
  const found: Case[] = [];
  for (let at = 0; found.length < count && byKind.some(({ length }) => at < length); at++) {
    for (const cases of byKind) found.push(...cases.slice(at, at + 1));
  }
  return found.slice(0, count);
}

async function attempt(template: Template, each: Case, options: CampaignOptions): Promise<Outcome> {
  const { folder, original, data } = template;
  rmSync(data, { recursive: true, force: true });
  cpSync(original, data, { recursive: true });
  const isLoose = !existsSync(join(original, each.file));
  const source = isLoose ? join(folder, each.file) : join(original, each.file);
  const otherFile = readFileSync(
    join(original, each.file === "catalogue.json" ? "trawl.db" : "catalogue.json"),
  );
  const bytes = damaged(readFileSync(source), each.section, each.damage, options.random, otherFile);
  const target = isLoose ? join(folder, "damaged") : join(data, each.file);
  rmSync(target, { force: true });
  if (bytes !== undefined) writeFileSync(target, bytes, { mode: 0o600 });
  return isLoose ? await command(template, each.kind, target) : await serveDamaged(template);
}

/** Checks that a command accepts the damaged file or reports what is wrong with it. */
async function command({ folder, data, config }: Template, kind: string, file: string): Promise<Outcome> {
  const fresh = join(folder, "fresh");
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh);
  const args = {
    backup: ["restore", file, "--data-dir", fresh],
    license: ["license", "install", file, "--data-dir", fresh, "--config", config],
    "trawl.json": ["status", "--data-dir", data, "--config", file],
  }[kind];
  const { code, stdout, stderr } = await trawl(args ?? [], folder);
  if (code === 0) {
    const whole = { backup: /^Restored 1 member, 2 API keys, /, license: /^Licensed to Example/ }[kind];
    assert.match(stdout, whole ?? /^Index /);
    return "correct";
  }
  assert(code === 1 || code === 2, `exit code ${code}: ${stderr}`);
  assert.match(stderr, /^trawl: [^\n]+\n/);
  assert.doesNotMatch(stderr, /defect|\n {4}at /);
  return "rejected with a reason";
}

async function serveDamaged({ data, config, key, revokedKey, expected }: Template): Promise<Outcome> {
  const server = await start(data, config);
  if (typeof server === "string") {
    assert.match(server, /^(\{"time".*\n)*trawl: [^\n]+\n/);
    assert.doesNotMatch(server, /defect|\n {4}at /);
    return "rejected with a reason";
  }
  try {
    let outcome: Outcome = "correct";
    const health = await fetch(`${server.url}/api/health`);
    assert.equal(health.status, 200, "health");
    const known = await withKey(server, key);
    if (known.status !== 200) {
      outcome = "rejected with a reason";
      assert.equal(known.status, 503, `with a key: ${known.text}`);
      assert.match(known.text, /"message":"[^"\\]*(trawl\.db|organization\.json)/);
    }
    const old = await withKey(server, revokedKey);
    assert.notEqual(old.status, 200, "a revoked key is valid again");
    const first = await compare(server, expected);
    if (first === "closed") return outcome;
    if (first === "incomplete") {
      if (outcome === "correct") outcome = "repaired";
      await eventually(async () => (await compare(server, expected)) === "whole", timeLimitMs);
    }
    const { code, stderr } = await server.stop();
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /"stack":"(?!ServiceError)|defect/);
    return outcome;
  } finally {
    await server.kill();
  }
}

/** Starts the server; returns it, or its output if it exits. */
async function start(data: string, config: string): Promise<Served | string> {
  const flags = ["--port", "0", "--data-dir", data, "--config", config];
  const running = startTrawl(["serve", ...flags]);
  const timer = setTimeout(() => running.process.kill("SIGKILL"), timeLimitMs);
  try {
    return await listening(running);
  } catch {
    const { code, stderr } = await running.ended;
    assert.equal(code, 1, `exit code ${code}: ${stderr}`);
    return stderr;
  } finally {
    clearTimeout(timer);
  }
}

/** Asks again after a timeout: on a busy machine, opening the database may take longer than a request. */
function withKey(server: Served, key: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: `Bearer ${key}` };
  return eventually(async () => {
    const response = await fetch(`${server.url}/api/repos`, { headers });
    const { status } = response;
    const text = await response.text();
    return status !== 504 && { status, text };
  }, timeLimitMs);
}

interface QueryResult {
  readonly lines: readonly string[];
  readonly isWhole: boolean;
}

function queryAll(server: Served): Promise<readonly QueryResult[]> {
  return Promise.all(
    queries.map(async (query) => {
      const { files, isSearchExhaustive } = await server.search({ query, matches: 1000 });
      return { lines: linesOf(files), isWhole: isSearchExhaustive };
    }),
  );
}

/** Throws if a response is wrong. "Closed" means that every request is rejected with the reason. */
async function compare(
  server: Served,
  expected: readonly (readonly string[])[],
): Promise<"whole" | "incomplete" | "closed"> {
  let found: readonly QueryResult[];
  try {
    found = await queryAll(server);
  } catch (error) {
    assert.match(String(error), /returned status 503: .*Access is closed/);
    return "closed";
  }
  for (const [at, { lines, isWhole }] of found.entries()) {
    const right = expected[at] ?? [];
    const label = `${queries[at]}: ${lines.join(", ")} instead of ${right.join(", ")}`;
    assert(
      lines.every((line) => right.includes(line)),
      label,
    );
    assert(!isWhole || lines.length === right.length, `${label}, and complete`);
  }
  return found.every(({ isWhole }) => isWhole) ? "whole" : "incomplete";
}

function linesOf(files: SearchResult["files"]): readonly string[] {
  return files
    .flatMap(({ repository, fileName, chunks }) => {
      const name = `${repository}/${fileName.text}`;
      const locations = chunks.flatMap(({ matchRanges }) =>
        matchRanges.map(({ start }) => `${start.lineNumber}:${start.column}`),
      );
      return [name, ...locations.map((location) => `${name}:${location}`)];
    })
    .sort();
}
