/** Schemas of structured content, which clients get on request: what the lines of a listing stand for. */
import * as z from "zod";
import { shortRef } from "./fileHeading";

const name = z.string();
export const lineNumber = z.int().min(1);

export const fileFields = {
  repo: name,
  path: name,
  revision: name.optional(),
  /** Absent for text of a commit. */
  origin: z.enum(["workingTree", "unsaved"]).optional(),
};
type FileItem = z.output<z.ZodObject<typeof fileFields>>;

export const definition = z
  .object({ name, kind: name })
  .describe("The innermost definition that contains it.");
type DefinitionItem = z.output<typeof definition>;

/** A line of a file. */
export const lineFields = { line: lineNumber, text: z.string() };

/** An entry of an outline. */
export const outlineFields = {
  ...lineFields,
  endLine: lineNumber.optional(),
  name: name.optional(),
  kind: name.optional(),
  depth: z.int().min(0).optional(),
};

/** How much a search found. */
export const matchCounts = { matchCount: z.int().min(0), fileCount: z.int().min(0) };

/** Files with what was found in them. */
export function filesOf(line: z.ZodRawShape, file: z.ZodRawShape = fileFields) {
  return z.array(z.object({ ...file, lines: z.array(z.object(line)).optional() }));
}

/** Fields of every result. */
export const resultFields = {
  summary: z.string().describe("What was found, and what may be missing."),
  isExhaustive: z.boolean(),
  reason: z.string().optional().describe("Why it is not."),
  total: z.int().min(0).describe("Lines or items of all pages."),
  omitted: z.int().min(0).describe("Of these, after this page."),
  cursor: z.string().optional().describe("For the next page."),
};

export function fileItem(file: {
  readonly repository: string;
  readonly path: string;
  readonly branches?: readonly string[];
  readonly origin?: "commit" | "workingTree" | "unsaved" | undefined;
}): FileItem {
  const { repository, path, branches = [], origin } = file;
  const [branch] = branches;
  return {
    repo: repository,
    path,
    revision:
      origin === "workingTree" || origin === "unsaved" || branch === undefined ? undefined : shortRef(branch),
    origin: origin === "commit" ? undefined : origin,
  };
}

export function definitionItem(
  parent: { readonly symbol: string; readonly kind: string } | undefined,
): DefinitionItem | undefined {
  return parent === undefined || parent.symbol === ""
    ? undefined
    : { name: parent.symbol, kind: parent.kind };
}
