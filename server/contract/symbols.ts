/** Schemas of symbols in code: definitions, references, outlines, and the symbol at a location. */
import * as z from "zod";
import { pathField, refField, repoField } from "./history";
import { localOnly, requiredOverHttp } from "./operation";
import { Range } from "./position";
import { RepositoryInfo, serverField, serverProblemField } from "./repositories";

const languageField = z
  .string()
  .max(100)
  .meta({ examples: ["TypeScript"] })
  .describe("Linguist's name of a language or an alias, in any case.");

/** A location in code. `repo` is required over HTTP, because only the local user may send `file`. */
export const CodeLocation = z
  .object({
    repo: repoField.optional(),
    path: pathField.optional().describe("Path of the file; if absent, the whole repository."),
    ref: refField.optional().describe("The revision; if absent, the working tree with unsaved changes."),
    file: z
      .string()
      .optional()
      .meta({ [localOnly]: true })
      .describe("Absolute path, instead of `repo`, `path` and `ref`; for the local user only."),
    lineNumber: z.int().min(1).optional().describe("Line, from 1; if absent, the whole file."),
    column: z.int().min(1).default(1).describe("Code points from the start of the line, from 1."),
  })
  .meta({ [requiredOverHttp]: ["repo"] })
  .describe("A location in a file of a repository.");
export type CodeLocation = z.output<typeof CodeLocation>;

const symbolName = z
  .string()
  .min(1)
  .max(1000)
  .meta({ examples: ["addItem"] })
  .describe("The exact name; case-sensitive.");

export const SymbolRequest = z
  .object({
    symbolName,
    language: languageField
      .optional()
      .describe(
        "Only in this language and those that are searched together with it, such as TypeScript and JavaScript.",
      ),
    revisionName: refField
      .optional()
      .describe("The revision; if absent, the default revision of each repository."),
    repoName: repoField.optional().describe("Only in the repository with this exact fully qualified name."),
    matches: z.int().min(1).max(10_000).default(1000).describe("Maximum number of matches in the response."),
    askedFrom: CodeLocation.optional().describe(
      "Location of the name in a file. Definitions that are in scope or imported there come first.",
    ),
  })
  .describe("A name to look up.");
export type SymbolRequest = z.output<typeof SymbolRequest>;

/** Confidence, highest first. */
export const Certainty = z
  .enum(["exact", "repository", "import", "name"])
  .describe(
    "Confidence that the name refers to the same symbol, highest first. `exact`: resolved in its file, or by an import within its repository. `repository`: defined in the same repository. `import`: imported by path or package. `name`: only the name is the same.",
  );
export type Certainty = z.output<typeof Certainty>;

const SymbolParent = z
  .object({
    symbol: z.string().describe("Name of the enclosing definition; may be empty."),
    kind: z.string().describe("Its kind; may be empty."),
  })
  .describe("The enclosing definition.");

const definitionFields = {
  kind: z.string().describe("Kind of definition: `class`, `method`, `function`, `field` and so on."),
  parent: SymbolParent,
};

export const SymbolMatch = z
  .object({
    lineContent: z.string().describe("The line, without its line terminator."),
    range: Range,
    certainty: Certainty.optional(),
    kind: definitionFields.kind.optional(),
    parent: SymbolParent.optional(),
  })
  .describe("A location where the name is defined or used.");
export type SymbolMatch = z.output<typeof SymbolMatch>;

/** What an editor needs to open a file. */
const originFields = {
  commit: z.string().optional().describe("Commit that contains the file; absent for uncommitted content."),
  blobSha: z.string().optional().describe("Git blob SHA of the content; absent if it is in no repository."),
  origin: z
    .enum(["commit", "workingTree", "unsaved"])
    .optional()
    .describe("Whether the text comes from a commit, the working tree or an unsaved document."),
  localPath: z
    .string()
    .optional()
    .describe("Absolute path of the same text on this computer; only for the local user."),
  server: serverField,
};

export const SymbolFile = z
  .object({
    fileName: z.string().describe("Path, relative to the repository's root."),
    repository: z.string().describe("Name of the repository."),
    repositoryId: z.int().describe("Id of the repository."),
    webUrl: z.string().describe("URL of this service's page for the file; may be empty."),
    language: z.string().describe("Linguist's name of the language, or empty."),
    matches: z.array(SymbolMatch).describe("In the order of the file."),
    isParsed: z
      .boolean()
      .optional()
      .describe("Whether the file was parsed; otherwise matches are whole words of its text."),
    ...originFields,
  })
  .describe("The matches in one file.");
export type SymbolFile = z.output<typeof SymbolFile>;

const filesMissing = z
  .int()
  .min(0)
  .optional()
  .describe("Files that could not be searched, because the repository lacks their text.");

const SymbolStats = z
  .object({
    matchCount: z.int().min(0).describe("Number of matches in the response."),
    isExhaustive: z
      .boolean()
      .optional()
      .describe(
        "Whether the response is complete: no match can be missing because of a limit, a timeout or unfinished indexing.",
      ),
    unparsedFiles: z
      .int()
      .optional()
      .describe("Number of files that were matched as text because their language has no parser."),
    filesMissing,
  })
  .describe("Statistics of the result.");

const repositoryInfo = z.array(RepositoryInfo).describe("The repositories of the files.");

export const SymbolResult = z
  .object({
    stats: SymbolStats,
    files: z.array(SymbolFile).describe("Highest confidence first, then best first."),
    repositoryInfo,
    serverProblem: serverProblemField,
  })
  .describe("Where a name is defined or used.");
export type SymbolResult = z.output<typeof SymbolResult>;

const SymbolFiles = SymbolResult.pick({ files: true, repositoryInfo: true }).describe(
  "Files as they are found. `repositoryInfo` contains each repository when it first appears.",
);

export const ReferenceEvent = z
  .object({ event: z.literal("files").describe("Files were found."), data: SymbolFiles })
  .describe("An event of streamed references.");
export type ReferenceEvent = z.output<typeof ReferenceEvent>;

export const ReferenceEnd = SymbolResult.omit({ files: true }).describe(
  "The last event of streamed references.",
);
export type ReferenceEnd = z.output<typeof ReferenceEnd>;

export const SymbolsRequest = z
  .object({
    query: z
      .string()
      .max(1000)
      .meta({ examples: ["addIt"] })
      .describe(
        "Prefix of the names, or some of their letters in order. If empty, some definitions are returned, types first.",
      ),
    match: z
      .enum(["prefix", "fuzzy"])
      .default("fuzzy")
      .describe(
        "Whether the query is a prefix of the name or some of its letters in order; both ignore case.",
      ),
    kinds: z.array(z.string()).max(50).optional().describe("Only definitions of these kinds."),
    language: languageField.optional(),
    repoNames: z.array(repoField).max(1000).optional().describe("Only in these repositories."),
    withoutOpen: z.boolean().default(false).describe("Whether to exclude repositories of open folders."),
    limit: z.int().min(1).max(1000).default(50).describe("Maximum number of definitions in the response."),
  })
  .describe("A search for definitions by name.");
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
    range: Range.describe("Range of the name in its file."),
    lineContent: SymbolMatch.shape.lineContent,
    ...originFields,
  })
  .describe("A definition and its location.");
export type FoundSymbol = z.output<typeof FoundSymbol>;

export const FoundSymbols = z
  .object({
    symbols: z.array(FoundSymbol).describe("Best first."),
    repositoryInfo,
    serverProblem: serverProblemField,
    isExhaustive: z
      .boolean()
      .describe(
        "Whether the response is complete: no match can be missing because of a limit, a timeout or unfinished indexing.",
      ),
    filesMissing,
  })
  .describe("Definitions by name.");
export type FoundSymbols = z.output<typeof FoundSymbols>;

/** Why there is no result. `noSymbol`: there is no name at the location. All others: the file was not parsed. */
export const UnparsedReason = z
  .enum(["noGrammar", "tooLarge", "tooSlow", "crashed", "noSymbol"])
  .describe("Why there is no result.");
export type UnparsedReason = z.output<typeof UnparsedReason>;

export const OutlineSymbol = z
  .object({
    symbol: z.string().describe("Name of the definition."),
    kind: definitionFields.kind,
    range: Range.describe("Range of the name."),
    wholeRange: Range.describe("Range of the whole definition."),
    parentIndex: z.int().describe("Index of the enclosing definition in the same list; -1 at the top level."),
    owner: z
      .string()
      .describe(
        "The type that it belongs to but is not nested in, such as the receiver of a Go method. Usually empty.",
      ),
  })
  .describe("A definition in a file.");
export type OutlineSymbol = z.output<typeof OutlineSymbol>;

export const FileOutline = z
  .object({
    language: z.string().describe("Linguist's name of the language, or empty."),
    symbols: z.array(OutlineSymbol).describe("In the order of the file; a parent before its children."),
    reason: UnparsedReason.optional().describe("Why there are no symbols."),
  })
  .describe("The definitions in a file.");
export type FileOutline = z.output<typeof FileOutline>;

export const LocationRequest = z
  .object({
    place: CodeLocation.meta({ [requiredOverHttp]: ["repo", "path"] }).describe("The location, or the file."),
  })
  .describe("A location in code.");

const symbolFields = {
  symbol: z.string().describe("The name; empty if there is none at the location."),
  range: Range.optional().describe("Range of the name at the location."),
  language: z.string().describe("Linguist's name of the language, or empty."),
  reason: UnparsedReason.optional(),
};

export const SymbolAtLocation = z.object(symbolFields).describe("The name at a location.");
export type SymbolAtLocation = z.output<typeof SymbolAtLocation>;

export const SymbolDescription = z
  .object({
    ...symbolFields,
    definition: z
      .object({
        signature: z.string().describe("Source lines up to the body."),
        documentation: z.string().describe("Documentation comment; may be empty."),
        language: z.string().describe("Linguist's name of its language."),
        found: FoundSymbol.describe("Its location."),
        certainty: Certainty,
        others: z.int().min(0).describe("Number of other definitions with the same confidence."),
      })
      .optional()
      .describe("The definition with the highest confidence; absent if there is none."),
  })
  .describe("The symbol at a location.");
export type SymbolDescription = z.output<typeof SymbolDescription>;
