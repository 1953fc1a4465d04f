/**
 * Where a name is used: the index of text gives the files, parsers tell code from comments and strings, and what a file
 * imports tells which definition is likely to be meant.
 *
 * Nothing about identifiers is stored. What was parsed is kept by content, so that the next question about the same name
 * parses nothing.
 */
import { setMaxListeners } from "node:events";
import type { Certainty } from "#contract/symbols";
import type { Engine, FoundSymbol } from "#engine/engine";
import type { FileMatch, Range } from "#model/match";
import { addReason, type FlushReason } from "#model/stats";
import { TimeLimit } from "#platform/timeLimit";
import type { RepositoryView } from "#service/repositoryView";
import { definesNames } from "#symbols/grammars";
import { named, searchCandidates, textsOf } from "./candidates";
import { type Definitions, unlessStopped } from "./definitions";
import type { Packages } from "./packages";
import { type CodeUse, type FileUses, maxLineBytes, type ParsedCode } from "./parsedCode";
import type { Asking, Question, Scope } from "./question";
import { compareCertainty, Relations, type Target, targetOf, type UsingFile } from "./relations";

export interface Use {
  readonly range: Range;
  readonly lineContent: string;
  readonly certainty: Certainty;
}

/** The uses in one file, in its order. */
export interface UsedFile {
  readonly file: FoundSymbol["document"];
  readonly uses: readonly Use[];
  /** False: nothing parses it, and these are words of its text. */
  readonly isParsed: boolean;
}

export interface ReferencesOptions {
  readonly engine: Engine;
  readonly repositories: RepositoryView;
  readonly code: ParsedCode;
  readonly packages: Packages;
  readonly definitions: Definitions;
}

export interface FoundReferences {
  readonly matchCount: number;
  readonly unparsedFiles: number;
  readonly reason: FlushReason;
}

/** Of more definitions with the same name nobody can tell which is meant. */
const maxTargets = 50;
/** Texts that a parser is given at once: few, so that the first answers come soon. */
const textsAtOnce = 4;
/** Past so many of these, no more files are looked for. */
const maxRunning = 16;

export class References {
  readonly #options: ReferencesOptions;

  constructor(options: ReferencesOptions) {
    this.#options = options;
  }

  /** Hands files over as they are found, those of the asking repository first. Rejects with CANCELLED. */
  async find(
    question: Question,
    caller: AbortSignal,
    onFiles: (files: readonly UsedFile[]) => Promise<void> | void,
  ): Promise<FoundReferences> {
    const { asking, maxMatches, deadline } = question;
    if (asking?.place?.isLocal) return await this.#inFile(question, caller, onFiles);
    const limit = new TimeLimit(caller, deadline - Date.now());
    const { signal } = limit;
    // Many files are parsed at once.
    setMaxListeners(0, signal);
    let matchCount = 0;
    let unparsedFiles = 0;
    let reason: FlushReason = "NONE";
    const hand = async (files: readonly UsedFile[]) => {
      const shown: UsedFile[] = [];
      for (const each of files) {
        const left = maxMatches - matchCount;
        if (left <= 0) break;
        const uses = each.uses.slice(0, left);
        matchCount += uses.length;
        if (!each.isParsed) unparsedFiles++;
        shown.push({ ...each, uses });
        if (uses.length < each.uses.length) reason = addReason(reason, "MATCH_LIMIT");
      }
      if (matchCount >= maxMatches) limit.stop();
      if (shown.length > 0) await onFiles(shown);
    };
    const stopped = await unlessStopped(signal, caller, async () => {
      this.#options.code.prepare();
      // Files are looked for, and parsed, while it is found out what is meant in them.
      const meant = this.#meant(question, signal);
      meant.catch(() => undefined);
      let found: FlushReason = "NONE";
      for (const scope of question.scopes)
        found = addReason(found, await this.#inScope(question, scope, { meant, hand }, signal));
      const { reason: unsure } = await meant;
      // Definitions that are missing make uses less sure, and hide none.
      return unsure === "INDEXING" || unsure === "MATCH_LIMIT" ? found : addReason(found, unsure);
    }).finally(() => {
      // After a failure some may still run.
      limit.stop();
      limit.end();
    });
    reason = addReason(reason, matchCount >= maxMatches ? "MATCH_LIMIT" : stopped);
    return { matchCount, unparsedFiles, reason };
  }

  /** Of a name that nothing outside its file can mean. */
  async #inFile(
    { asking, name, maxMatches }: Question,
    signal: AbortSignal,
    onFiles: (files: readonly UsedFile[]) => Promise<void> | void,
  ): Promise<FoundReferences> {
    const { text, place } = asking ?? {};
    if (text === undefined || place === undefined) return { matchCount: 0, unparsedFiles: 0, reason: "NONE" };
    const [found] = await this.#options.code.uses([text], name, signal);
    const uses = (found?.uses ?? [])
      .filter((use) => use.declaredAt === place.declaredAt && use.range.start.byteOffset !== place.declaredAt)
      .map(({ range, lineContent }) => ({ range, lineContent, certainty: "exact" as const }));
    const { repository, path, language, commit, blobSha, origin } = text;
    const file = { repositoryId: repository.id, path, language, commit, blobSha, origin, branches: [] };
    const shown = uses.slice(0, maxMatches);
    if (shown.length > 0) await onFiles([{ file, uses: shown, isParsed: true }]);
    return {
      matchCount: shown.length,
      unparsedFiles: 0,
      reason: shown.length < uses.length ? "MATCH_LIMIT" : "NONE",
    };
  }

  /** The surest definitions at the place that asks, all of them where nobody asks from a place. */
  async #meant(question: Question, signal: AbortSignal): Promise<Meant> {
    const { definitions: known, packages, repositories } = this.#options;
    const everywhere = { ...question, maxMatches: maxTargets };
    const { definitions, reason } = await known.find(everywhere, signal, { isQuick: true });
    const best = definitions[0]?.certainty;
    const meant = definitions.filter(({ certainty }) => certainty === best);
    const targets = meant.map(({ symbol }) => targetOf(symbol));
    const relations = await Relations.to(targets, packages, repositories, signal);
    return { targets, relations, asking: question.asking, reason };
  }

  async #inScope(
    question: Question,
    scope: Scope,
    { meant, hand }: Looking,
    signal: AbortSignal,
  ): Promise<FlushReason> {
    const { engine } = this.#options;
    const running = new Set<Promise<void>>();
    const failures: unknown[] = [];
    const begin = (work: Promise<readonly LookedThrough[]>) => {
      const begun = work
        .then(async (files) => {
          const meaning = await meant;
          await hand(files.map((each) => usedIn(each, meaning)).filter(({ uses }) => uses.length > 0));
        })
        .catch((error: unknown) => {
          failures.push(error);
        })
        .finally(() => running.delete(begun));
      running.add(begun);
      return begun;
    };
    // The next files are looked for while these are parsed, so that no parser waits.
    const candidates = { question, scope, pattern: named(question.name) };
    const reason = await searchCandidates(engine, candidates, signal, async (files) => {
      const known: LookedThrough[] = [];
      const asText: LookedThrough[] = [];
      const unknown: FileMatch[] = [];
      for (const file of files.toSorted((left, right) => right.score - left.score)) {
        const code = this.#known(question.name, file);
        if (code !== undefined) known.push({ file, code });
        else if (definesNames(file.language)) unknown.push(file);
        else asText.push({ file, code });
      }
      // Often these are enough, and nothing need be parsed.
      if (known.length > 0) await begin(Promise.resolve(known));
      const parsing: Promise<void>[] = [];
      for (let at = 0; at < unknown.length && !signal.aborted; at += textsAtOnce)
        parsing.push(begin(this.#inTexts(question, unknown.slice(at, at + textsAtOnce), signal)));
      // Code comes before prose that speaks of it.
      if (asText.length > 0) void begin(Promise.all(parsing).then(() => asText));
      while (running.size > maxRunning) await Promise.race(running);
    });
    await Promise.all(running);
    if (failures.length > 0) throw failures[0];
    return reason;
  }

  /** Of a file that was looked through before. */
  #known(name: string, { language, blobSha, origin }: FileMatch): FileUses | undefined {
    return origin === "unsaved" ? undefined : this.#options.code.knownUses(language, blobSha, name);
  }

  async #inTexts(
    { name, unsaved }: Question,
    files: readonly FileMatch[],
    signal: AbortSignal,
  ): Promise<readonly LookedThrough[]> {
    const { code, engine } = this.#options;
    const texts = await textsOf(engine, files, { unsaved }, signal);
    const present = texts.filter((text) => text !== undefined);
    const parsed = await code.uses(present, name, signal);
    return files.map((file, index) => {
      const text = texts[index];
      return { file, code: text && parsed[present.indexOf(text)] };
    });
  }
}

/** What a name means. */
interface Meant {
  readonly targets: readonly Target[];
  /** Absent: every definition is meant. */
  readonly asking: Asking | undefined;
  readonly relations: Relations;
  /** Why there may be other definitions. */
  readonly reason: FlushReason;
}

interface Looking {
  readonly meant: Promise<Meant>;
  readonly hand: (files: readonly UsedFile[]) => Promise<void>;
}

interface LookedThrough {
  readonly file: FileMatch;
  /** Undefined where nothing could parse it. */
  readonly code: FileUses | undefined;
}

function usedIn({ file, code }: LookedThrough, meant: Meant): UsedFile {
  return code === undefined ? usedAsText(file, meant) : usedInCode(file, code, meant);
}

function usedInCode(
  file: FileMatch,
  { uses, imports }: FileUses,
  { targets, asking, relations }: Meant,
): UsedFile {
  const from: UsingFile = { ...file, imports };
  let best: Certainty | undefined;
  const own = targets.filter(
    ({ repositoryId, path }) => repositoryId === file.repositoryId && path === file.path,
  );
  const certaintyOf = ({ declaredAt }: CodeUse): Certainty => {
    if (declaredAt >= 0)
      return asking === undefined || own.some(({ start }) => start === declaredAt) ? "exact" : "name";
    best ??= relations.best(from, targets, asking?.repository.id);
    return best;
  };
  const found = uses
    .filter(({ role, isLocal }) => role === "reference" && !isLocal)
    .map((use) => ({ range: use.range, lineContent: use.lineContent, certainty: certaintyOf(use) }));
  return { file, uses: found, isParsed: true };
}

/** Nothing tells its code from its comments; but a letter of any alphabet next to the name makes it another one. */
function usedAsText(file: FileMatch, { targets, asking, relations }: Meant): UsedFile {
  const best = relations.best({ ...file, imports: [] }, targets, asking?.repository.id);
  const certainty = compareCertainty(best, "repository") < 0 ? "repository" : best;
  const uses = file.chunks.flatMap(({ content, contentStart, matchRanges }) => {
    const lines = content.split(/\r?\n/).map((line) => line.slice(0, maxLineBytes));
    const points = new Map<number, readonly string[]>();
    return matchRanges.flatMap((range) => {
      const { lineNumber } = range.start;
      const lineContent = lines[lineNumber - contentStart.lineNumber] ?? "";
      const line = points.get(lineNumber) ?? [...lineContent];
      points.set(lineNumber, line);
      return standsAlone(line, range) ? [{ range, lineContent, certainty }] : [];
    });
  });
  return { file, uses, isParsed: false };
}

function standsAlone(line: readonly string[], { start, end }: Range): boolean {
  const isLetter = (point: string | undefined) => point !== undefined && /[\p{L}\p{N}_]/u.test(point);
  return !isLetter(line[start.column - 2]) && !isLetter(line[end.column - 1]);
}
