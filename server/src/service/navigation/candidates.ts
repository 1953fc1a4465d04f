/** Files in which a name stands as a word, and their texts: by the index of text, which knows every language. */
import type { DocumentRequest, Engine, UnsavedDocument } from "#engine/engine";
import { blobName } from "#git/blobName";
import type { FileMatch } from "#model/match";
import type { FlushReason } from "#model/stats";
import type { DocumentSymbols } from "#model/symbol";
import type { Pattern, Query } from "#query/query";
import { wholeWord } from "#query/wholeWord";
import { ownPlan } from "#service/ownPlan";
import type { KeptText } from "./parsedCode";
import type { Question, Scope } from "./question";

/** Past so many places a name tells nothing. */
const maxPlaces = 100_000;
const maxTextBytes = 32 * 1024 * 1024;

/** A text with what the index knows of it. */
export interface FoundText extends KeptText {
  readonly symbols?: DocumentSymbols;
}

export interface Candidates {
  readonly question: Question;
  readonly scope: Scope;
  readonly pattern: Pattern;
  /** More that has to hold. */
  readonly filters?: readonly Query[];
}

/** The name as a word. */
export function named(name: string): Pattern {
  return wholeWord({ kind: "literal", text: name, caseSensitive: true });
}

/** Hands files over as they are found, the next ones when these are taken. Gives why there may be more. */
export async function searchCandidates(
  engine: Engine,
  { question, scope, pattern, filters = [] }: Candidates,
  signal: AbortSignal,
  take: (files: readonly FileMatch[]) => Promise<void>,
): Promise<FlushReason> {
  const { languages, unsaved, preferred, deadline } = question;
  const text: Query = { kind: "text", pattern, where: "content" };
  const children: Query[] = [
    text,
    ...filters,
    ...(languages === undefined ? [] : [{ kind: "language" as const, names: languages }]),
    ...(scope.revisions.length === 0 ? [] : [{ kind: "revision" as const, names: scope.revisions }]),
  ];
  const plan = ownPlan({ kind: "and", children }, scope.repositories, maxPlaces, deadline);
  const limits = { ...plan.limits, maxAnswerBytes: maxTextBytes };
  const taken: Promise<void>[] = [];
  const { stats, exhaustive } = await engine.search(
    { ...plan, limits, unsaved: scope.revisions.length === 0 ? unsaved : [], preferred },
    signal,
    (files) => {
      const taking = take(files);
      taken.push(taking);
      return taking;
    },
  );
  await Promise.all(taken);
  return stats.flushReason !== "NONE" || exhaustive ? stats.flushReason : "ENGINE_PARTIAL";
}

export interface TextOptions {
  readonly unsaved: readonly UnsavedDocument[];
  /** Also what the index knows of them. */
  readonly withSymbols?: boolean;
}

/** The texts of files, in their order; undefined where the index has none any more. */
export async function textsOf(
  engine: Engine,
  files: readonly FileMatch[],
  { unsaved, withSymbols = false }: TextOptions,
  signal: AbortSignal,
): Promise<readonly (FoundText | undefined)[]> {
  const stored = files.filter(({ origin }) => origin !== "unsaved");
  const requests = stored.map((file) => ({ ...requestOf(file), withSymbols }));
  const documents = await engine.readDocuments(requests, signal);
  const byFile = new Map(stored.map((file, index) => [file, documents[index]]));
  return files.map((file) => {
    const { language, blobSha, origin } = file;
    if (origin === "unsaved") {
      const open = unsaved.find(
        ({ repositoryId, path }) => repositoryId === file.repositoryId && path === file.path,
      );
      if (open === undefined) return undefined;
      const content = new TextEncoder().encode(open.text);
      return { language, blobSha: blobName(content), content };
    }
    const document = byFile.get(file);
    if (document === undefined) return undefined;
    const { content, symbols } = document;
    // What is in no commit has no name yet by which to keep what is found in it.
    const name = blobSha === "" ? blobName(content) : blobSha;
    return { language, blobSha: name, content, ...(symbols === undefined ? {} : { symbols }) };
  });
}

function requestOf({ repositoryId, path, blobSha, origin }: FileMatch): DocumentRequest {
  return { repositoryId, path, ...(blobSha === "" || origin !== "commit" ? {} : { blob: blobSha }) };
}
