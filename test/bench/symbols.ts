/** Compares definitions found in real trees with those of universal-ctags, and measures the speed. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { symbolParsers } from "#symbols/parsing/parsers";
import type { ParsedSymbols } from "#symbols/symbols";
import { cpuSecondsOfEnded } from "./processes";
import { heading, megabytes, printTable } from "./report";
import { fetchPackages, filesOf, type SymbolTree, symbolTrees } from "./symbolTrees";

interface Tag {
  readonly name: string;
  /** 1-based. */
  readonly line: number;
  readonly kind: string;
}

interface Compared {
  readonly tree: SymbolTree;
  readonly files: number;
  readonly bytes: number;
  readonly ctags: number;
  readonly ours: number;
  readonly found: number;
  readonly skipped: number;
  readonly ctagsSeconds: number | undefined;
  readonly seconds: number;
}

export interface SymbolBenchOptions {
  /** Linguist names, in any case; all trees if empty. */
  readonly languages: readonly string[];
  /** How many definitions that only ctags finds are printed for each tree. */
  readonly shownMisses: number;
  readonly maxBytes: number;
  /** Path of the parser worker bundle. */
  readonly worker: string;
}

/** Returns the smallest share of ctags' definitions that were found, over all trees without `hasMacros`. */
export async function benchSymbols(folder: string, options: SymbolBenchOptions): Promise<number> {
  heading("Definitions, beside universal-ctags");
  mkdirSync(folder, { recursive: true });
  const compared: Compared[] = [];
  for (const tree of symbolTrees) {
    if (options.languages.length > 0 && !options.languages.includes(tree.language.toLowerCase())) continue;
    fetchPackages(tree.packages, folder);
    compared.push(await compare(tree, folder, options));
  }
  printTable(
    ["tree", "files", "MB", "ctags", "ours", "of ctags'", "unparsed", "MB a CPU s", "ctags' MB a CPU s"],
    compared.map((each) => [
      each.tree.language,
      String(each.files),
      megabytes(each.bytes),
      String(each.ctags),
      String(each.ours),
      `${((100 * each.found) / each.ctags).toFixed(1)} %`,
      String(each.skipped),
      (each.bytes / 1e6 / each.seconds).toFixed(1),
      each.ctagsSeconds === undefined ? "" : (each.bytes / 1e6 / each.ctagsSeconds).toFixed(1),
    ]),
  );
  return Math.min(...compared.filter(({ tree }) => !tree.hasMacros).map(({ found, ctags }) => found / ctags));
}

async function compare(tree: SymbolTree, folder: string, options: SymbolBenchOptions): Promise<Compared> {
  const paths = filesOf(tree, folder, options.maxBytes);
  const texts = paths.map((path) => ({ language: tree.language, content: readFileSync(path) }));
  const bytes = texts.reduce((sum, { content }) => sum + content.length, 0);
  const { tags, seconds: ctagsSeconds } = tagsOf(
    tree,
    paths,
    texts.map(({ content }) => content),
    folder,
  );
  const parsers = symbolParsers(options.worker, 1);
  const before = process.cpuUsage();
  const parsed = await parsers.symbols(texts);
  const { user, system } = process.cpuUsage(before);
  await parsers.close();

  let found = 0;
  const misses: string[] = [];
  for (const [index, path] of paths.entries()) {
    const own = linesByName(parsed[index], texts[index]?.content ?? new Uint8Array());
    for (const tag of tags.get(path) ?? []) {
      const near = own.get(plain(tag.name))?.some((line) => Math.abs(line - tag.line) <= 1) ?? false;
      if (near) found++;
      else misses.push(`${tag.kind} ${tag.name}  ${path}:${tag.line}`);
    }
  }
  const step = Math.max(1, Math.floor(misses.length / Math.max(1, options.shownMisses)));
  for (const [index, miss] of misses.entries())
    if (options.shownMisses > 0 && index % step === 0) console.log(`${tree.language}: ${miss}`);
  return {
    tree,
    files: paths.length,
    bytes,
    ctags: [...tags.values()].reduce((sum, each) => sum + each.length, 0),
    ours: parsed.reduce((sum, each) => sum + (each.kind === "parsed" ? each.definitions.length : 0), 0),
    found,
    skipped: parsed.filter(({ kind }) => kind === "unparsed").length,
    ctagsSeconds,
    seconds: (user + system) / 1e6,
  };
}

function linesByName(parsed: ParsedSymbols | undefined, content: Uint8Array): ReadonlyMap<string, number[]> {
  const lines = new Map<string, number[]>();
  if (parsed?.kind !== "parsed") return lines;
  let line = 1;
  let at = 0;
  for (const { name, nameStart } of parsed.definitions) {
    for (; at < nameStart; at++) if (content[at] === 0x0a) line++;
    const before = lines.get(plain(name));
    if (before === undefined) lines.set(plain(name), [line]);
    else before.push(line);
  }
  return lines;
}

/** C++ names may contain whitespace: `operator ==`. */
function plain(name: string): string {
  return name.replace(/\s+/g, "");
}

/** Returns the definitions that ctags finds, by path. */
function tagsOf(
  tree: SymbolTree,
  paths: readonly string[],
  contents: readonly Uint8Array[],
  folder: string,
): { tags: ReadonlyMap<string, readonly Tag[]>; seconds: number | undefined } {
  const list = join(folder, `files-${process.pid}`);
  writeFileSync(list, `${paths.join("\n")}\n`);
  const began = cpuSecondsOfEnded();
  const { status, stdout, stderr } = spawnSync(
    "ctags",
    [
      ...["--options=NONE", "--sort=no", "--excmd=number", "--fields=nKZ", "-f", "-", "-L", list],
      ...[`--languages=${tree.ctagsName}`, `--language-force=${tree.ctagsName}`],
    ],
    { encoding: "utf8", maxBuffer: 1 << 30 },
  );
  const ended = cpuSecondsOfEnded();
  rmSync(list);
  if (status !== 0) throw new Error(`ctags failed: ${stderr}`);
  const lines = new Map(paths.map((path, index) => [path, contents[index]]));
  const tags = new Map<string, Tag[]>();
  let path = "";
  let starts: Uint32Array = new Uint32Array();
  for (const row of stdout.split("\n")) {
    const [name, file, excmd, kind = ""] = row.split("\t");
    if (name === undefined || file === undefined || excmd === undefined || name.startsWith("!_")) continue;
    const line = Number(excmd.replace(/;"$/, ""));
    if (file !== path) {
      path = file;
      starts = lineStarts(lines.get(file) ?? new Uint8Array());
    }
    const start = starts[line - 1] ?? 0;
    const text = Buffer.from(lines.get(file)?.subarray(start, starts[line]) ?? []).toString();
    if (!counts(tree.language, { name, line, kind }, text)) continue;
    const before = tags.get(file);
    if (before === undefined) tags.set(file, [{ name, line, kind }]);
    else before.push({ name, line, kind });
  }
  const seconds = began === undefined || ended === undefined ? undefined : ended - began;
  return { tags, seconds };
}

/**
 * Reports whether a tag is a definition that one can navigate to. Excludes names that ctags invents, imports, Rust `impl`
 * blocks, Python lambdas bound to variables, and mistakes of ctags in TypeScript.
 */
function counts(language: string, { name, kind }: Tag, text: string): boolean {
  if (name.startsWith("__anon") || name === "_") return false;
  if (language === "Rust") return kind !== "implementation";
  if (language === "Python")
    return (
      !["namespace", "module", "unknown"].includes(kind) &&
      !(kind === "function" && /=\s*lambda\b/.test(text))
    );
  if (language === "Go") return kind !== "packageName" && kind !== "unknown";
  return language !== "TypeScript" || !isMistaken(name, kind, text);
}

/**
 * Reports whether the line of a TypeScript tag shows that it is not a definition: local variables and object keys (on
 * indented lines), keywords, a constant's type instead of its name, imported types, and digits.
 */
function isMistaken(name: string, kind: string, text: string): boolean {
  const escaped = name.replaceAll("$", "\\$");
  if (/^(?:const|default|export|extends|if|implements|instanceof|import|return|symbol)$/.test(name))
    return true;
  if (kind === "constant" || kind === "variable")
    return (
      /^\s/.test(text) || !new RegExp(`\\b(?:const|let|var)\\s+(?:[[{].*)?${escaped}(?![\\w$])`).test(text)
    );
  if (kind === "alias") return !new RegExp(`\\btype\\s+${escaped}\\s*(?:[<=]|$)`).test(text);
  return kind === "enumerator" && new RegExp(`\\d${escaped}`).test(text);
}

function lineStarts(content: Uint8Array): Uint32Array {
  const starts = [0];
  for (let at = 0; at < content.length; at++) if (content[at] === 0x0a) starts.push(at + 1);
  return Uint32Array.from(starts);
}
