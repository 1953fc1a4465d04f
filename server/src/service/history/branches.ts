import { objectBytes } from "#base/byteCache";
import type { Branch } from "#contract/history";
import type { Handler } from "#contract/service";
import { listBranchesAndTags, type NamedCommit, toNamedCommit } from "#git/refs/branches";
import { readHeadFile } from "#git/refs/refs";
import { refsFingerprint } from "#git/refs/refsFingerprint";
import type { History, OpenRepository } from "./history";

const branchPrefix = "refs/heads/";
const remotePrefix = "refs/remotes/";
const tagPrefix = "refs/tags/";

export function branchesHandlers(history: History): { branches: Handler<"branches"> } {
  return {
    async branches({ repo, query = "", remotes, page, perPage }, context) {
      const opened = history.open(history.repository(repo), context);
      const all = [...(await cachedRefs(history, opened, remotes))];
      const defaultName = defaultRefName(opened, all);
      const head = defaultName === "HEAD" ? await history.find(opened, "HEAD") : undefined;
      if (head !== undefined) all.push(await toNamedCommit(opened.objects, "HEAD", head.commit));
      const wanted = query.toLowerCase();
      const found = sortBranches(all, defaultName).filter(({ name }) =>
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

/** Lists the refs, cached until one of them changes. */
async function cachedRefs(
  history: History,
  opened: OpenRepository,
  remotes: boolean,
): Promise<readonly NamedCommit[]> {
  const fingerprint = refsFingerprint(opened.gitRequest.gitRepository);
  const compute = ({ gitRequest, objects }: OpenRepository) =>
    listBranchesAndTags(gitRequest, objects, remotes);
  const head = fingerprint === undefined ? undefined : await history.find(opened, undefined);
  if (head === undefined) return compute(opened);
  return history.memoize(head, `refs ${remotes} ${fingerprint}`, compute, (refs) =>
    refs.reduce((sum, { name, commit, date }) => sum + objectBytes([name, commit, date]), 0),
  );
}

/**
 * Returns the full name of the branch that HEAD points to, or `HEAD` if it is detached. If that branch does not exist,
 * returns the default revision of the index.
 */
function defaultRefName(
  { gitRequest, repository }: OpenRepository,
  all: readonly NamedCommit[],
): string | undefined {
  const head = readHeadFile(gitRequest.gitRepository);
  if (head.kind === "detached") return "HEAD";
  const exists = head.kind === "branch" && all.some(({ name }) => name === head.name);
  return exists ? head.name : repository.defaultRevision;
}

/** Sorts the default revision first, then branches and remote branches by name, then tags, newest first. */
function sortBranches(all: readonly NamedCommit[], defaultName: string | undefined): NamedCommit[] {
  const first = all.filter(({ name }) => name === defaultName);
  const branches = all.filter(({ name }) => name.startsWith(branchPrefix) && name !== defaultName);
  const remotes = all.filter(({ name }) => name.startsWith(remotePrefix) && name !== defaultName);
  const tags = all.filter(({ name }) => name.startsWith(tagPrefix) && name !== defaultName);
  tags.sort((one, other) => other.time - one.time);
  return [...first, ...branches, ...remotes, ...tags];
}

function shortName(name: string): string {
  return name.replace(/^refs\/(?:heads|remotes|tags)\//, "");
}
