/**
 * Questions in plain words about code bases, each with the files that answer it.
 *
 * `questions/NAME.json` are the project's own, about the package NAME of `packageTrees.ts`. Questions and targets were
 * written from documentation, changelogs and the source, without looking at what a search returns; keep it that way when
 * you add some. Use the half `tune` to compare variants of a ranking. The half `test` tells whether a gain is real: print
 * its figures, but neither read its results nor choose by them.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { projectRoot } from "#test/support/house";
import { git } from "./corpus";
import { type Half, halfOf, isSamePath } from "./retrievalScore";

/** A file; its lines, if given, do not count. */
const target = z.union([
  z.string().min(1),
  z.object({ path: z.string().min(1) }).transform(({ path }) => path),
]);

const annotations = z.array(
  z.object({
    query: z.string().min(1),
    relevant: z.array(target).min(1),
    secondary: z.array(target).default([]),
    /** `semantic` (what implements this), `architecture` (how …) or `symbol` (a bare name). */
    category: z.string(),
  }),
);

export interface Question {
  readonly text: string;
  readonly targets: readonly string[];
  readonly category: string;
  readonly half: Half;
}

export interface QuestionSet {
  readonly name: string;
  readonly questions: readonly Question[];
}

export const ownQuestions = join(projectRoot(), "test/bench/questions");

/** Reads each `NAME.json` of a folder. */
export function readQuestions(folder: string): readonly QuestionSet[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  if (files.length === 0) throw new Error(`${folder} contains no NAME.json with questions.`);
  return files.sort().map((file) => {
    const parsed = annotations.safeParse(JSON.parse(readFileSync(join(folder, file), "utf8")));
    if (!parsed.success) throw new Error(`${join(folder, file)}: ${z.prettifyError(parsed.error)}`);
    const questions = parsed.data.map(({ query, relevant, secondary, category }) => ({
      text: query,
      targets: [...relevant, ...secondary],
      category,
      half: halfOf(query),
    }));
    return { name: basename(file, ".json"), questions };
  });
}

/** Throws if a target of a question is not in the repository, because no ranking could find it. */
export function checkTargets({ name, questions }: QuestionSet, repository: string): void {
  if (!existsSync(repository)) throw new Error(`There is no repository of ${name} at ${repository}.`);
  const files = git(repository, "ls-files", "-z").split("\0");
  const targets = questions.flatMap((question) => question.targets);
  const missing = targets.filter((path) => !files.some((file) => isSamePath(file, path)));
  if (missing.length > 0) throw new Error(`${name} has no file ${missing.join(", ")}.`);
}
