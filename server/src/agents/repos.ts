import * as z from "zod";
import type { RepositoryItem } from "#contract/repositories";
import { count, shortRef } from "./fileHeading";
import { namedRepositories, suggestRepositories } from "./names";
import { type Line, type Listing, tool } from "./tool";

const pageSize = 100;
const maxRevisions = 5;

const repository = z.object({
  repo: z.string(),
  defaultRevision: z.string().optional(),
  otherRevisions: z.array(z.string()),
  omittedRevisions: z.int().min(0),
  state: z.string(),
  progress: z.number(),
  lastCommitDate: z.string().optional(),
  error: z.string().optional(),
});

export const repos = tool({
  name: "repos",
  title: "List repositories",
  description: "Indexed repositories with their revisions and state.",
  input: {
    name: z.string().max(1000).optional().describe("Part of the name; npm/ for packages."),
  },
  output: { items: z.array(repository).optional() },
  async run({ name }, { send, offset }): Promise<Listing> {
    const page = Math.floor(offset / pageSize) + 1;
    const request = { page, perPage: pageSize, ...namedRepositories(name) };
    const { items, total } = await send("repos", request);
    const narrow = "give a longer name";
    if (total === 0) {
      const notes = [await suggestRepositories(send, name ?? "")];
      return { summary: `No repository contains ${JSON.stringify(name ?? "")}.`, lines: [], notes, narrow };
    }
    return {
      summary: `${count(total, "repository", "repositories")}.`,
      lines: items.map(repositoryLine),
      skipped: (page - 1) * pageSize,
      total,
      narrow,
    };
  },
});

function repositoryLine(repository: RepositoryItem): Line {
  const { repoName, defaultBranch, revisions, state, progress, pushedAt, lastError } = repository;
  const names = revisions.map((revision) => shortRef(revision.name)).filter((name) => name !== defaultBranch);
  const listed = names.slice(0, maxRevisions);
  const rest = names.length - listed.length;
  const branch = defaultBranch === undefined ? undefined : shortRef(defaultBranch);
  const parts = [
    ...(branch === undefined ? [] : [`default ${branch}`]),
    ...(listed.length === 0 ? [] : [`also ${listed.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`]),
    ...(pushedAt === undefined ? [] : [`last commit ${pushedAt.slice(0, 10)}`]),
    state === "indexing" ? `indexing ${Math.floor(progress * 100)}%` : state,
    ...(lastError === undefined ? [] : [lastError]),
  ];
  return {
    text: `${repoName}  ${parts.join("; ")}`,
    item: {
      repo: repoName,
      defaultRevision: branch,
      otherRevisions: listed,
      omittedRevisions: rest,
      state,
      progress,
      lastCommitDate: pushedAt,
      error: lastError,
    },
  };
}
