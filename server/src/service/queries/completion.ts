/** Completes a query at the cursor: filter names and values. */
import type { QueryCompletion } from "#contract/queries";
import type { Handler } from "#contract/service";
import type { Engine } from "#engine/engine";
import { beginsWithEcosystem } from "#query/packageName";
import { type Cursor, cursorAt } from "#query/parser/cursor";
import { type Outline, outlineQuery } from "#query/parser/parse";
import { type PrefixName, prefixesStarting } from "#query/parser/prefixes";
import { revisionSeparator } from "#query/parser/terms";
import { writeName } from "#query/parser/write";
import { type Contexts, searchedRepositories } from "#service/repositories/repositoryFilters";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { preferredRepositories } from "#service/search/searchPlan";
import {
  completeLanguage,
  completePath,
  completeRepository,
  completeRepositorySet,
  completeRevision,
  completeTopic,
  rankMatches,
  resolveScope,
} from "./valueCompletions";

const filterDetails: Readonly<Record<PrefixName, string>> = {
  file: "Paths that match an expression or a glob",
  repo: "Repositories whose names match an expression",
  lang: "Files in a language",
  rev: "Branches, tags or commits",
  content: "Text inside files, not in their names",
  sym: "Definitions by name",
  words: "Best matches for a description, even if some words are missing",
  case: "Whether case matters: yes, no or auto",
  type: "What to list: file, symbol, repo or commit",
  archived: "Archived repositories: yes, no or only",
  fork: "Forks: yes, no or only",
  tests: "Test files: yes, no or only",
  dependencies: "Packages that lock files name: yes, no or only",
  visibility: "Public, private or any repositories",
  topic: "Repositories with a topic on their code host",
  context: "A named set of repositories",
  reposet: "Repositories by their exact names",
  group: "For counts: what to group matches by",
  author: "Commits by author",
  since: "Commits from this date on",
  until: "Commits up to this date",
};

const wholeGroupFilters: ReadonlySet<PrefixName> = new Set(["case", "type", "words", "group"]);

const inclusion = { yes: "Include them", no: "Exclude them", only: "Only these" };

const times = { yesterday: "", "1 week ago": "", "1 month ago": "", "1 year ago": "" };

/** Fixed values of filters, with their descriptions. */
const valueDescriptions: Partial<Readonly<Record<PrefixName, Readonly<Record<string, string>>>>> = {
  case: { yes: "Match case", no: "Ignore case", auto: "Match case in words with capitals" },
  type: { file: "Names of files", repo: "Names of repositories", symbol: "Definitions", commit: "Commits" },
  archived: inclusion,
  fork: inclusion,
  tests: inclusion,
  dependencies: inclusion,
  group: {
    repo: "By repository",
    folder: "By the directory of the file",
    language: "By the language of the file",
    author: "By who last changed the line",
    symbol: "By the definition around the match",
    text: "By the captured or matched text",
  },
  since: times,
  until: times,
  visibility: { public: "Public", private: "Private", any: "All" },
};

export interface CompletionOptions {
  readonly engine: Engine;
  readonly repositories: RepositoryView;
  readonly contexts: Contexts;
}

export function completeQuery(options: CompletionOptions): Handler<"completeQuery"> {
  return async ({ query, offset, limit, isRegexEnabled, isCount }, { signal, folders = [] }) => {
    const contexts = new Set(Object.keys(options.contexts));
    const flags = { isRegexEnabled, isCaseSensitivityEnabled: false, contexts, isCount };
    const cursor = cursorAt(query, offset, flags);
    if (cursor === undefined) return { offset: Math.min(offset, query.length), length: 0, items: [] };
    const found = await completeAt(cursor, options, folders, signal);
    const items = isCount ? found : found.filter(({ label }) => label !== "group:");
    return { offset: cursor.offset, length: cursor.length, items: items.slice(0, limit) };
  };
}

async function completeAt(
  { prefix, typed, isNegated, forCommits, rest }: Cursor,
  { engine, repositories, contexts }: CompletionOptions,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<QueryCompletion[]> {
  const all = searchedRepositories(repositories, rest.query);
  const scope = () => resolveScope(rest, repositories, contexts);
  switch (prefix) {
    case undefined:
      return completeFilterName(typed, isNegated, forCommits);
    case "repo": {
      const separator = revisionSeparator(typed);
      if (separator < 0) {
        const preferred = new Set(preferredRepositories(folders, repositories.all()));
        const named = beginsWithEcosystem(typed) ? [...all, ...repositories.packages()] : all;
        return completeRepository(named, typed, preferred);
      }
      const repositoryScope = await resolveScope(
        outlineOf(`repo:${typed.slice(0, separator)}`),
        repositories,
        contexts,
      );
      return completeRevision(repositoryScope, typed.slice(separator + 1))
        .filter(({ label, text }) => label === text)
        .map((item) => ({ ...item, text: typed.slice(0, separator + 1) + item.text }));
    }
    case "reposet":
      return completeRepositorySet(all, typed);
    case "rev":
      return completeRevision(await scope(), typed);
    case "lang":
      return completeLanguage(engine, await scope(), typed, signal);
    case "file":
      return completePath(engine, await scope(), typed, signal);
    case "topic":
      return completeTopic(await scope(), typed);
    case "context":
      return rankMatches(Object.keys(contexts).sort(), typed).map((label) => {
        return { label, text: writeName(label), detail: "", kind: "context" };
      });
    default:
      return Object.entries(valueDescriptions[prefix] ?? {})
        .filter(([label]) => label.startsWith(typed))
        .map(([label, detail]) => ({ label, text: writeName(label), detail, kind: "value" }));
  }
}

function outlineOf(text: string): Outline {
  return outlineQuery(text, { isRegexEnabled: false, isCaseSensitivityEnabled: false });
}

/** Omits `case:`, `type:` and `group:` after `-`, because they apply to a whole group and cannot be negated. */
function completeFilterName(typed: string, isNegated: boolean, forCommits: boolean): QueryCompletion[] {
  return prefixesStarting(typed, forCommits)
    .filter((name) => !isNegated || !wholeGroupFilters.has(name))
    .map((name) => ({ label: `${name}:`, text: `${name}:`, detail: filterDetails[name], kind: "filter" }));
}
