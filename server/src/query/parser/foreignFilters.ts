/**
 * Recognizes filters of other tools, and commit filters outside of commit searches. They are searched as text, so they
 * only get a hint.
 */
import type { Leaf } from "./parse";
import { writeExpression, writeName } from "./write";

const flags: Readonly<Record<string, string>> = {
  archived: "archived:only",
  fork: "fork:only",
  public: "visibility:public",
  private: "visibility:private",
};

const owner = (value: string) => `repo:/${writeExpression(value)}/`;
const revision = (value: string) => `rev:${writeName(value)}`;
const extension = (value: string) => `file:\\.${writeExpression(value.replace(/^\./, ""))}$`;

const equivalents: Readonly<Record<string, (value: string) => string | undefined>> = {
  org: owner,
  owner,
  user: owner,
  project: owner,
  ext: extension,
  extension,
  filename: (value) => `file:${writeExpression(value)}`,
  glob: (value) => `file:${value.includes("/") || value.startsWith("*") ? value : `**/${value}`}`,
  tag: revision,
  ref: revision,
  commit: revision,
  sha: revision,
  is: (value) => flags[value],
  author: (value) => `type:commit author:${writeName(value)}`,
  since: (value) => `type:commit since:${writeName(value)}`,
  until: (value) => `type:commit until:${writeName(value)}`,
};

/** A foreign filter and its equivalent. */
export interface ForeignFilter {
  /** Its start, after a dash. */
  readonly offset: number;
  readonly length: number;
  /** Its name with the colon. */
  readonly prefix: string;
  readonly equivalent: string;
}

/** Returns the equivalent of a term that is a filter elsewhere. `text` is the whole query. */
export function foreignFilter(text: string, leaf: Leaf): ForeignFilter | undefined {
  if (leaf.prefix !== undefined || leaf.isQuoted) return undefined;
  const written = text.slice(leaf.termStart, leaf.end);
  const [, dash = "", name = "", quoted, word = ""] =
    /^(-?)([a-z]+):(?:"([^"]*)"|([^:/"].*))$/s.exec(written) ?? [];
  const equivalent = Object.hasOwn(equivalents, name) ? equivalents[name]?.(quoted ?? word) : undefined;
  if (equivalent === undefined) return undefined;
  const offset = leaf.termStart + dash.length;
  return { offset, length: leaf.end - offset, prefix: `${name}:`, equivalent };
}
