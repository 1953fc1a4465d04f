import type { Branch } from "#contract/history";
import type { Handler } from "#contract/service";
import { listBranches, type NamedCommit, namedCommit } from "#git/branches";
import { lookUpHead } from "#git/refs";
import type { History, OpenRepository } from "./history";

const branchPrefix = "refs/heads/";
const tagPrefix = "refs/tags/";

export function branchesHandlers(history: History): { branches: Handler<"branches"> } {
  return {
    async branches({ repo, query = "", page, perPage }, context) {
      const opened = history.open(history.repository(repo), context);
      const all = await listBranches(opened.question, opened.objects);
      const defaultName = defaultOf(opened, all);
      const head = defaultName === "HEAD" ? await history.find(opened, "HEAD") : undefined;
      if (head !== undefined) all.push(await namedCommit(opened.objects, "HEAD", head.commit));
      const wanted = query.toLowerCase();
      const found = inOrder(all, defaultName).filter(({ name }) =>
        shortName(name).toLowerCase().includes(wanted),
      );
      const start = (page - 1) * perPage;
      const indexed = new Set(opened.repository.revisions.map(({ name }) => name));
      const items = found.slice(start, start + perPage).map(({ name, commit, date }): Branch => {
        const isTag = name.startsWith(tagPrefix);
        const isDefault = name === defaultName;
        return {
          name: shortName(name),
          fullName: name,
          commit,
          date,
          isDefault,
          isTag,
          isIndexed: indexed.has(name),
        };
      });
      return { items, total: found.length };
    },
  };
}

/** What HEAD names now; where that does not exist, what was found when the repository was indexed. */
function defaultOf(
  { question, repository }: OpenRepository,
  all: readonly NamedCommit[],
): string | undefined {
  const head = lookUpHead(question.place);
  if (head.kind === "detached") return "HEAD";
  const isThere = head.kind === "branch" && all.some(({ name }) => name === head.name);
  return isThere ? head.name : repository.defaultRevision;
}

/** The default one, then branches by name, then tags, newest first. */
function inOrder(all: readonly NamedCommit[], defaultName: string | undefined): NamedCommit[] {
  const first = all.filter(({ name }) => name === defaultName);
  const branches = all.filter(({ name }) => name.startsWith(branchPrefix) && name !== defaultName);
  const tags = all.filter(({ name }) => name.startsWith(tagPrefix) && name !== defaultName);
  tags.sort((one, other) => other.time - one.time);
  return [...first, ...branches, ...tags];
}

function shortName(name: string): string {
  return name.replace(/^refs\/(?:heads|tags)\//, "");
}
