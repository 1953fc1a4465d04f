import * as z from "zod";
import type { RepositoryItem } from "#contract/repositories";
import { count, shortRef } from "./fileHeading";
import { suggestRepositories } from "./names";
import { type Listing, tool } from "./tool";

const pageSize = 100;
const maxRevisions = 5;

export const repos = tool({
  name: "repos",
  title: "List repositories",
  description: "Indexed repositories with their revisions and the state of their index.",
  input: { name: z.string().max(1000).optional().describe("Part of the name.") },
  async run({ name }, { send, offset }): Promise<Listing> {
    const page = Math.floor(offset / pageSize) + 1;
    const request = { page, perPage: pageSize, ...(name === undefined ? {} : { query: name }) };
    const { items, total } = await send("repos", request);
    const narrow = "give a longer name";
    if (total === 0) {
      const notes = [await suggestRepositories(send, name ?? "")];
      return { summary: `No repository contains ${JSON.stringify(name ?? "")}.`, lines: [], notes, narrow };
    }
    return {
      summary: `${count(total, "repository", "repositories")}.`,
      lines: items.map((item) => ({ text: repositoryLine(item) })),
      skipped: (page - 1) * pageSize,
      total,
      narrow,
    };
  },
});

function repositoryLine(item: RepositoryItem): string {
  const { repoName, defaultBranch, revisions, state, progress, pushedAt, lastError } = item;
  const names = revisions.map((revision) => shortRef(revision.name)).filter((name) => name !== defaultBranch);
  const listed = names.slice(0, maxRevisions);
  const rest = names.length - listed.length;
  const parts = [
    ...(defaultBranch === undefined ? [] : [`default ${shortRef(defaultBranch)}`]),
    ...(listed.length === 0 ? [] : [`also ${listed.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`]),
    ...(pushedAt === undefined ? [] : [`last commit ${pushedAt.slice(0, 10)}`]),
    state === "indexing" ? `indexing ${Math.floor(progress * 100)}%` : state,
    ...(lastError === undefined ? [] : [lastError]),
  ];
  return `${repoName}  ${parts.join("; ")}`;
}
