/** How a query goes on at the cursor: names of filters, and their values. */
import type { QueryCompletion } from "#contract/queries";
import type { Handler } from "#contract/service";
import type { Engine } from "#engine/engine";
import { type Cursor, cursorAt } from "#query/cursor";
import { type Outline, outlineQuery } from "#query/parse";
import { type PrefixName, prefixesStarting } from "#query/prefixes";
import { revisionSign } from "#query/terms";
import { writeName } from "#query/write";
import {
  languageProposals,
  likest,
  listedProposals,
  pathProposals,
  repositoryProposals,
  revisionProposals,
  scopeOf,
} from "./proposals";
import type { Contexts } from "./repositoryFilters";
import type { RepositoryView } from "./repositoryView";
import { preferredRepositories } from "./searchPlan";

const filterDetails: Readonly<Record<PrefixName, string>> = {
  file: "Paths that match an expression or a glob",
  repo: "Repositories whose names match an expression",
  lang: "Files in a language",
  rev: "Branches, tags or commits",
  content: "Text inside files, not in their names",
  sym: "Names of definitions",
  case: "Whether capitals count: yes, no or auto",
  type: "What to list: file, symbol, repo or commit",
  archived: "Archived repositories: yes, no or only",
  fork: "Forks: yes, no or only",
  visibility: "Public, private or any repositories",
  context: "A named set of repositories",
  reposet: "Repositories by their exact names",
  author: "Commits by author",
  since: "Commits from this date on",
  until: "Commits up to this date",
};

const inclusion = { yes: "With the others", no: "Without them", only: "Nothing else" };

const times = { yesterday: "", "1 week ago": "", "1 month ago": "", "1 year ago": "" };

/** Values of the filters that take one of a few words, and of those some that take more. */
const words: Partial<Readonly<Record<PrefixName, Readonly<Record<string, string>>>>> = {
  case: { yes: "Capitals count", no: "Capitals do not count", auto: "Capitals count in words that have one" },
  type: { file: "Names of files", repo: "Names of repositories", symbol: "Definitions", commit: "Commits" },
  archived: inclusion,
  fork: inclusion,
  since: times,
  until: times,
  visibility: { public: "Public ones", private: "Private ones", any: "All" },
};

export interface CompletionOptions {
  readonly engine: Engine;
  readonly repositories: RepositoryView;
  readonly contexts: Contexts;
}

export function completeQuery(options: CompletionOptions): Handler<"completeQuery"> {
  return async ({ query, offset, limit, isRegexEnabled }, { signal, folders = [] }) => {
    const contexts = new Set(Object.keys(options.contexts));
    const flags = { isRegexEnabled, isCaseSensitivityEnabled: false, contexts };
    const cursor = cursorAt(query, offset, flags);
    if (cursor === undefined) return { offset: Math.min(offset, query.length), length: 0, items: [] };
    const items = await itemsAt(cursor, options, folders, signal);
    return { offset: cursor.offset, length: cursor.length, items: items.slice(0, limit) };
  };
}

async function itemsAt(
  { prefix, typed, isNegated, forCommits, rest }: Cursor,
  { engine, repositories, contexts }: CompletionOptions,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<QueryCompletion[]> {
  const all = repositories.all();
  const scope = () => scopeOf(rest, all, contexts);
  switch (prefix) {
    case undefined:
      return filterNames(typed, isNegated, forCommits);
    case "repo": {
      const sign = revisionSign(typed);
      if (sign < 0) return repositoryProposals(all, typed, new Set(preferredRepositories(folders, all)));
      const own = scopeOf(outlineOf(`repo:${typed.slice(0, sign)}`), all, contexts);
      return revisionProposals(own, typed.slice(sign + 1))
        .filter(({ label, text }) => label === text)
        .map((item) => ({ ...item, text: typed.slice(0, sign + 1) + item.text }));
    }
    case "reposet":
      return listedProposals(all, typed);
    case "rev":
      return revisionProposals(scope(), typed);
    case "lang":
      return languageProposals(engine, scope(), typed, signal);
    case "file":
      return pathProposals(engine, scope(), typed, signal);
    case "context":
      return likest(Object.keys(contexts).sort(), typed).map((label) => {
        return { label, text: writeName(label), detail: "", kind: "context" };
      });
    default:
      return Object.entries(words[prefix] ?? {})
        .filter(([label]) => label.startsWith(typed))
        .map(([label, detail]) => ({ label, text: writeName(label), detail, kind: "value" }));
  }
}

function outlineOf(text: string): Outline {
  return outlineQuery(text, { isRegexEnabled: false, isCaseSensitivityEnabled: false });
}

/** What speaks of a whole group cannot be negated. */
function filterNames(typed: string, isNegated: boolean, forCommits: boolean): QueryCompletion[] {
  return prefixesStarting(typed, forCommits)
    .filter((name) => !isNegated || (name !== "case" && name !== "type"))
    .map((name) => ({ label: `${name}:`, text: `${name}:`, detail: filterDetails[name], kind: "filter" }));
}
