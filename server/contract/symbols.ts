/** Names in code: where they are defined, where they are used, and what stands at a place. */
import * as z from "zod";
import { pathField, refField, repoField } from "./history";
import { Range } from "./position";
import { RepositoryInfo } from "./repositories";

const languageField = z.string().max(100).describe("Linguist's name of a language or an alias, in any case.");

export const CodePlace = z
  .object({
    repo: repoField.optional(),
    path: pathField.optional(),
    ref: refField.optional().describe("The revision; absent: what is on disk, with what is not saved."),
    file: z
      .string()
      .optional()
      .describe("Absolute path, in place of `repo`, `path` and `ref`: for the person at this computer."),
    lineNumber: z.int().min(1).optional().describe("Line, from 1; absent: the file as a whole."),
    column: z.int().min(1).default(1).describe("Code points from the start of the line, from 1."),
  })
  .describe("A place in a file of a repository.");
export type CodePlace = z.output<typeof CodePlace>;

const symbolName = z.string().min(1).max(1000).describe("The name as it is written; case counts.");

export const SymbolRequest = z
  .object({
    symbolName,
    language: languageField.optional().describe("Only in this language, and in those that go with it."),
    revisionName: refField.optional().describe("The revision; absent: the default one of each repository."),
    repoName: repoField.optional().describe("Only in this repository: its exact fully-qualified name."),
    matches: z.int().min(1).max(10_000).default(1000).describe("Matches in the answer, at most."),
    askedFrom: CodePlace.optional().describe(
      "Where the name was read: what counts there, and what is imported there, comes first.",
    ),
  })
  .describe("A name to look up.");
export type SymbolRequest = z.output<typeof SymbolRequest>;

/** From the surest to the least sure. */
export const Certainty = z
  .enum(["exact", "repository", "import", "name"])
  .describe(
    "How sure it is that the same is meant: resolved in its file, or in its repository by an import; in the same repository; imported by path or package; of the same name only.",
  );
export type Certainty = z.output<typeof Certainty>;

const SymbolParent = z
  .object({
    symbol: z.string().describe("Name of the enclosing definition, or empty."),
    kind: z.string().describe("Its kind, or empty."),
  })
  .describe("The definition around a definition.");

const definitionFields = {
  kind: z.string().describe("What it defines: `class`, `method`, `function`, `field` and so on."),
  parent: SymbolParent,
};

export const SymbolMatch = z
  .object({
    lineContent: z.string().describe("The line, without its end."),
    range: Range,
    certainty: Certainty.optional(),
    kind: definitionFields.kind.optional(),
    parent: SymbolParent.optional(),
  })
  .describe("A place where the name is defined or used.");
export type SymbolMatch = z.output<typeof SymbolMatch>;

/** Beyond the specification: what an editor needs in order to open a file. */
const openingFields = {
  commit: z.string().optional().describe("Commit that holds the file; absent for what is in none."),
  blobSha: z.string().optional().describe("Git's hash of the content; absent where it is in no repository."),
  origin: z
    .enum(["commit", "workingTree", "unsaved"])
    .optional()
    .describe("Whether the text is a commit's, the working tree's or an editor's."),
  localPath: z
    .string()
    .optional()
    .describe("Absolute path of the same text on this computer; told to the person at it alone."),
};

export const SymbolFile = z
  .object({
    fileName: z.string().describe("Path, relative to the repository's root."),
    repository: z.string().describe("Name of the repository."),
    repositoryId: z.int().describe("Number of the repository."),
    webUrl: z.string().describe("Page of this service that opens the file; empty where there is none."),
    language: z.string().describe("Linguist's name of the language, or empty."),
    matches: z.array(SymbolMatch).describe("In the order of the file."),
    isParsed: z
      .boolean()
      .optional()
      .describe("Whether its code was parsed; else matches are whole words of its text."),
    ...openingFields,
  })
  .describe("The matches in one file.");
export type SymbolFile = z.output<typeof SymbolFile>;

const SymbolStats = z
  .object({
    matchCount: z.int().min(0).describe("Matches in the answer."),
    isExhaustive: z.boolean().optional().describe("Whether nothing can have been left out."),
    unparsedFiles: z
      .int()
      .optional()
      .describe("Files that were matched as text, because nothing parses them."),
  })
  .describe("What was found.");

const repositoryInfo = z.array(RepositoryInfo).describe("The repositories of the files.");

export const SymbolResult = z
  .object({
    stats: SymbolStats,
    files: z.array(SymbolFile).describe("The surest first, then best first."),
    repositoryInfo,
  })
  .describe("Where a name is defined or used.");
export type SymbolResult = z.output<typeof SymbolResult>;

const SymbolFiles = SymbolResult.pick({ files: true, repositoryInfo: true }).describe(
  "Files as they are found; `repositoryInfo` tells of each repository when it first appears.",
);

export const ReferenceEvent = z
  .object({ event: z.literal("files").describe("Files were found."), data: SymbolFiles })
  .describe("Something that happened while references were looked for.");
export type ReferenceEvent = z.output<typeof ReferenceEvent>;

export const ReferenceEnd = SymbolResult.omit({ files: true }).describe("The end of streamed references.");
export type ReferenceEnd = z.output<typeof ReferenceEnd>;

export const SymbolsRequest = z
  .object({
    query: z.string().max(1000).describe("What names begin with, or letters of them in their order."),
    match: z
      .enum(["prefix", "fuzzy"])
      .default("fuzzy")
      .describe("Whether names begin with the query in any case, or hold its letters in their order."),
    kinds: z.array(z.string()).max(50).optional().describe("Only definitions of these kinds."),
    language: languageField.optional(),
    repoNames: z.array(repoField).max(1000).optional().describe("Only in these repositories."),
    withoutOpen: z.boolean().default(false).describe("Whether repositories of open folders are left out."),
    limit: z.int().min(1).max(1000).default(50).describe("Definitions in the answer, at most."),
  })
  .describe("Names to look for as somebody types.");
export type SymbolsRequest = z.output<typeof SymbolsRequest>;

export const FoundSymbol = z
  .object({
    symbol: z.string().describe("Name of the definition."),
    ...definitionFields,
    fileName: SymbolFile.shape.fileName,
    repository: SymbolFile.shape.repository,
    repositoryId: SymbolFile.shape.repositoryId,
    webUrl: SymbolFile.shape.webUrl,
    language: SymbolFile.shape.language,
    range: Range.describe("The name, in its file."),
    lineContent: SymbolMatch.shape.lineContent,
    ...openingFields,
  })
  .describe("A definition, and where it stands.");
export type FoundSymbol = z.output<typeof FoundSymbol>;

export const FoundSymbols = z
  .object({
    symbols: z.array(FoundSymbol).describe("Best first."),
    repositoryInfo,
    isExhaustive: z.boolean().describe("Whether nothing can have been left out."),
  })
  .describe("Definitions by name.");
export type FoundSymbols = z.output<typeof FoundSymbols>;

/** Why there is nothing to say of a file; `noSymbol`: no name stands at the place. */
export const UnparsedReason = z
  .enum(["noGrammar", "tooLarge", "tooSlow", "crashed", "noSymbol"])
  .describe("Why there is no answer.");
export type UnparsedReason = z.output<typeof UnparsedReason>;

export const OutlineSymbol = z
  .object({
    symbol: z.string().describe("Name of the definition."),
    kind: definitionFields.kind,
    range: Range.describe("The name."),
    wholeRange: Range.describe("The whole definition."),
    parentIndex: z.int().describe("Place of the enclosing definition in the same list; -1 at the top."),
    owner: z
      .string()
      .describe(
        "What it belongs to where that is not around it: the receiver of a method of Go. Mostly empty.",
      ),
  })
  .describe("A definition in a file.");
export type OutlineSymbol = z.output<typeof OutlineSymbol>;

export const Outline = z
  .object({
    language: z.string().describe("Linguist's name of the language, or empty."),
    symbols: z.array(OutlineSymbol).describe("In the order of the file; a parent before its children."),
    reason: UnparsedReason.optional().describe("Why there are none."),
  })
  .describe("What a file defines.");
export type Outline = z.output<typeof Outline>;

export const PlaceRequest = z
  .object({ place: CodePlace.describe("The place, or the file.") })
  .describe("A place in code.");

const namedFields = {
  symbol: z.string().describe("The name; empty where none stands there."),
  range: Range.optional().describe("The name, where it was asked for."),
  language: z.string().describe("Linguist's name of the language, or empty."),
  reason: UnparsedReason.optional(),
};

export const NamedPlace = z.object(namedFields).describe("The name that stands at a place.");
export type NamedPlace = z.output<typeof NamedPlace>;

export const Description = z
  .object({
    ...namedFields,
    definition: z
      .object({
        signature: z.string().describe("Its lines up to its body."),
        documentation: z.string().describe("The comment that belongs to it, or empty."),
        language: z.string().describe("Linguist's name of its language."),
        found: FoundSymbol.describe("Where it stands."),
        certainty: Certainty,
        others: z.int().min(0).describe("Further definitions that are as sure."),
      })
      .optional()
      .describe("The surest definition; absent where there is none."),
  })
  .describe("What stands at a place.");
export type Description = z.output<typeof Description>;
