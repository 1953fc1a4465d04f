import * as z from "zod";
import { count, definitionHeading, fileHeading } from "./fileHeading";
import { describeScope, explainNothing, listRepositories } from "./names";
import { definition, definitionItem, fileItem, filesOf, lineFields } from "./output";
import { commonFilters, fileFilter } from "./queryText";
import { completeness, incompleteSearch } from "./searchLines";
import { type Listing, langInput, lazyLines, revInput, type Send, tool } from "./tool";

const maxFiles = 2000;
const maxSymbols = 200;
/** The limit of the service. */
const maxRepositories = 1000;

const input = {
  name: z.string().min(1).max(1000).describe("Files: part of a path, or a glob. Symbols: letters of a name."),
  type: z.enum(["files", "symbols"]).default("files"),
  kinds: z.array(z.string().max(50)).max(20).optional().describe("Of symbols, such as class."),
  repo: z.string().min(1).max(1000).optional().describe("Part of the repository name."),
  lang: langInput,
  rev: revInput,
};
type Input = z.output<z.ZodObject<typeof input>>;

export const find = tool({
  name: "find",
  title: "Find files and symbols",
  description: "Find files by path, or definitions by an approximate name, in all repositories.",
  input,
  output: {
    files: filesOf({
      ...lineFields,
      name: z.string(),
      kind: z.string(),
      enclosing: definition.optional(),
    }).optional(),
  },
  run: (args, { send }): Promise<Listing> =>
    args.type === "files" ? findFiles(args, send) : findSymbols(args, send),
});

const narrow = "give a longer name or repo";

async function findFiles({ name, ...scope }: Input, send: Send): Promise<Listing> {
  const query = [fileFilter(name), ...commonFilters(scope)].join(" ");
  const result = await send("search", { query, matches: maxFiles, matchesPerFile: 1 });
  const notes = incompleteSearch(result, maxFiles, "files");
  const { files } = result;
  if (files.length === 0) {
    const reasons = await explainNothing(send, { query }, result.isSearchExhaustive, {
      ...scope,
      path: name,
    });
    return {
      summary: "No file found.",
      lines: [],
      notes: [...reasons, ...notes],
      narrow,
      ...completeness(result),
    };
  }
  return {
    summary: `${notes.length > 0 ? "At least " : ""}${count(files.length, "file")}.`,
    lines: lazyLines(files, ({ repository, fileName, branches, origin }) => ({
      text: fileHeading({ repository, path: fileName.text, branches, origin }),
      file: fileItem({ repository, path: fileName.text, branches, origin }),
    })),
    notes,
    narrow,
    ...completeness(result),
  };
}

async function findSymbols({ name, kinds, repo, lang, rev }: Input, send: Send): Promise<Listing> {
  const repoNames =
    repo === undefined ? undefined : (await listRepositories(send, repo)).map(({ repoName }) => repoName);
  const request = {
    query: name,
    limit: maxSymbols,
    ...(kinds === undefined ? {} : { kinds }),
    ...(lang === undefined ? {} : { language: lang }),
    ...(repoNames === undefined ? {} : { repoNames: repoNames.slice(0, maxRepositories) }),
  };
  const { symbols, isExhaustive } = await send("findSymbols", request);
  const isCut = repoNames !== undefined && repoNames.length > maxRepositories;
  const notes = [
    ...(rev === undefined ? [] : ['"rev" is ignored for symbols: grep with rev finds text at a revision.']),
    ...(isExhaustive
      ? []
      : ['Not everything was searched: symbols may be missing; "repos" shows the state.']),
    ...(isCut
      ? [`Only the first ${maxRepositories} repositories with such a name were searched: give a longer repo.`]
      : []),
  ];
  if (symbols.length === 0) {
    const kindsHint = kinds === undefined ? [] : ['"kinds" may be wrong: omit it to find all kinds.'];
    const hints = [...notes, ...kindsHint, await describeScope(send, isExhaustive && !isCut, repo)];
    return {
      summary: "No symbol found.",
      lines: [],
      notes: hints,
      narrow,
      isExhaustive: isExhaustive && !isCut,
    };
  }
  return {
    summary: `${symbols.length === maxSymbols ? "The best " : ""}${count(symbols.length, "definition")}.`,
    lines: lazyLines(
      symbols,
      ({ repository, fileName, origin, symbol, kind, parent, range, lineContent }) => {
        const { lineNumber: line } = range.start;
        const text = lineContent.slice(0, 300);
        return {
          headings: [fileHeading({ repository, path: fileName, origin }), ...definitionHeading(parent)],
          text: `${line}:${text}   [${kind}]`,
          file: fileItem({ repository, path: fileName, origin }),
          item: { line, text, name: symbol, kind, enclosing: definitionItem(parent) },
        };
      },
    ),
    notes,
    narrow,
    isExhaustive: isExhaustive && !isCut,
  };
}
