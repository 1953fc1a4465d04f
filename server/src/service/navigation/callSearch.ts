/** Finds the calls of one level of a call hierarchy, with one search for all its names. */
import { TextPositions } from "#base/textPositions";
import type { FoundSymbol } from "#engine/engine";
import { TimeSlice } from "#platform/timeSlice";
import type { CalledDefinitions } from "./calledDefinitions";
import type { CallFile, CallFiles } from "./callFiles";
import {
  type CallNode,
  CallTargets,
  callerOf,
  definitionEnd,
  type FoundCall,
  keyOf,
  sourceOf,
} from "./callGraph";
import type { CallResolver, ResolvedCall } from "./callResolver";
import type { Gaps } from "./candidates";
import { isCommonMember } from "./memberNames";
import { type CallsInFile, type CodeCall, toCodeDefinition } from "./parsedCode";
import { containerOf } from "./supertypes";

/** Names that are looked up in one level. */
const maxNames = 2000;
/** Calls to collect in one level, before they are sorted. */
const maxFoundCalls = 50_000;
/** Definitions to list for one call if only their name is the same. */
const maxUncertain = 5;

export class CallSearch {
  readonly #files: CallFiles;
  readonly #called: CalledDefinitions;
  readonly #gaps: Gaps;
  readonly #maxCalls: number;
  readonly #signal: AbortSignal;

  /** Of incoming calls, no more than about `maxCalls` are looked for in one level, except uncertain ones. */
  constructor(
    files: CallFiles,
    called: CalledDefinitions,
    gaps: Gaps,
    maxCalls: number,
    signal: AbortSignal,
  ) {
    this.#files = files;
    this.#called = called;
    this.#gaps = gaps;
    this.#maxCalls = maxCalls;
    this.#signal = signal;
  }

  /** Adds the calls of these definitions to `found` file by file, so that a timeout keeps those of earlier files. */
  async incoming(targets: readonly CallNode[], found: FoundCall[]): Promise<void> {
    const wanted = new CallTargets(targets);
    const names = [...wanted.byName.keys()];
    const candidates = await this.#called.named(names);
    const members: FoundSymbol[] = [];
    for (const [name, nodes] of wanted.byName) {
      const known = candidates.get(name) ?? [];
      const keys = new Set(known.map(keyOf));
      const missing = nodes.map(({ symbol }) => symbol).filter((each) => !keys.has(keyOf(each)));
      const all = [...known, ...missing];
      candidates.set(name, all);
      if (nodes.some(({ symbol }) => containerOf(symbol) !== "")) members.push(...all);
    }
    const resolver = await this.#called.resolver([...candidates.values()].flat(), members);
    const slice = new TimeSlice();
    const enough = new AbortController();
    // A call is found once for each revision of its file.
    const certain = new Set<string>();
    const readFile = async (file: FoundSymbol["document"], { calls, imports }: CallsInFile) => {
      const from = sourceOf(file, imports);
      const wantedCalls = calls.filter(({ name }) => wanted.byName.has(name));
      const sources = await this.#called.sourcesOf(wantedCalls);
      for (const call of wantedCalls) {
        if (slice.isExpired) await slice.yieldToEventLoop();
        if (this.#signal.aborted || enough.signal.aborted) return;
        const all = candidates.get(call.name) ?? [];
        for (const { definition, certainty } of resolver.resolve(call, from, all, sources(call)))
          for (const known of wanted.calledAs(definition)) {
            found.push({ known, other: callerOf(file, call), certainty, call });
            if (certainty === "name") continue;
            certain.add(`${file.repositoryId} ${call.start} ${file.path}\n${keyOf(known.symbol)}`);
          }
        if (found.length < maxFoundCalls && certain.size < this.#maxCalls) continue;
        this.#gaps.addReason("MATCH_LIMIT");
        enough.abort();
      }
    };
    await this.#files.readWith(names, enough.signal, readFile);
  }

  /** Adds the calls in these definitions to `found`. */
  async outgoing(callers: readonly CallNode[], found: FoundCall[]): Promise<void> {
    const files = await this.#files.of(callers);
    const sites = callers.flatMap((known, index): SiteInFile[] => {
      const { start, end } = known.symbol;
      const file = files[index];
      if (file === undefined) return [];
      const calls = file.parsed.calls.filter((call) => call.start >= start && call.start < end);
      return calls.map((call) => ({ known, call, file }));
    });
    const names = [...new Set(sites.map(({ call }) => call.name))];
    const candidates = await this.#called.named(names.slice(0, maxNames));
    if (names.length > maxNames || names.some((name) => this.#called.isCut(name)))
      this.#gaps.addReason("MATCH_LIMIT");
    const resolver = await this.#called.resolver([...candidates.values()].flat());
    const sources = await this.#called.sourcesOf(sites.map(({ call }) => call));
    for (const site of sites) {
      const all = candidates.get(site.call.name) ?? [];
      found.push(...calleesAt(site, all, sources(site.call), resolver));
    }
  }
}

/** A call in the text of a definition. */
interface SiteInFile {
  readonly known: CallNode;
  readonly call: CodeCall;
  readonly file: CallFile;
}

function calleesAt(
  { known, call, file: { text, parsed } }: SiteInFile,
  candidates: readonly FoundSymbol[],
  sources: readonly FoundSymbol[],
  resolver: CallResolver,
): FoundCall[] {
  const { document } = known.symbol;
  const own =
    call.declaredAt < 0
      ? undefined
      : parsed.definitions.find(({ nameStart }) => nameStart === call.declaredAt);
  if (own !== undefined) {
    const definition = toCodeDefinition(own, parsed.definitions, new TextPositions(text.content));
    return [{ known, other: definitionEnd(document, definition), certainty: "exact", call }];
  }
  const resolved = resolver.resolve(call, sourceOf(document, parsed.imports), candidates, sources);
  return withoutConstructors(limitUncertain(resolved, call.name)).map(({ definition, certainty }) => ({
    known,
    other: { symbol: definition },
    certainty,
    call,
  }));
}

/** Of a type and its constructors, keeps the type. */
function withoutConstructors(resolved: readonly ResolvedCall[]): readonly ResolvedCall[] {
  const types = resolved.filter(({ definition }) => definition.parent.name !== definition.name);
  return types.length > 0 ? types : resolved;
}

/** Omits definitions that only have the same name if that is common, or if there are many. */
function limitUncertain(resolved: readonly ResolvedCall[], name: string): readonly ResolvedCall[] {
  if (resolved[0]?.certainty !== "name") return resolved;
  return isCommonMember(name) ? [] : resolved.slice(0, maxUncertain);
}
