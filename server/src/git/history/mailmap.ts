/** Maps the names and addresses in commits to those in `.mailmap` (see gitmailmap(5)). */
import * as fs from "node:fs";
import { join } from "node:path";
import { treeOfCommit } from "#git/objects/commitHeader";
import type { ObjectDatabase } from "#git/objects/objectDatabase";
import { parseTreeObject } from "#git/objects/treeObject";
import { readHeadFile, readRefFile } from "#git/refs/refs";
import type { GitRepository } from "#git/repository";
import { type Person, trimSpaceAtEnd } from "./commit";

const fileName = ".mailmap";
/** Parsing a larger file takes longer than starting git. */
const maxBytes = 128 * 1024;
const maxTreeBytes = 1024 * 1024;
/** In UTF-16 units. Git splits lines after 1023 bytes. */
const maxLineLength = 340;

export type Mailmap = (person: Person) => Person;

/** Replaces the name and email of an address. `byName` has exceptions for single names. */
interface Replacement {
  name?: string;
  email?: string;
  readonly byName: Map<string, Partial<Person>>;
}

/**
 * Reads the mailmap of a repository: the file in the working tree, or in HEAD of a bare repository. Returns `undefined`
 * if git must be used.
 */
export function readMailmap(repository: GitRepository, files: ObjectDatabase): Mailmap | undefined {
  const { workTree } = repository;
  const text = workTree === undefined ? textInHead(repository, files) : textInFolder(workTree);
  return text === undefined ? undefined : parseMailmap(text);
}

/** Returns an empty text if there is no file. */
function textInFolder(workTree: string): string | undefined {
  const path = join(workTree, fileName);
  try {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return "";
    return stat.isFile() && stat.size <= maxBytes ? fs.readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

function textInHead(repository: GitRepository, files: ObjectDatabase): string | undefined {
  const head = readHeadFile(repository);
  const commit = head.kind === "branch" ? readRefFile(repository, head.name) : undefined;
  const found = commit === undefined ? undefined : files.read(commit, maxTreeBytes);
  const tree = found && treeOfCommit(found);
  const root = tree === undefined ? undefined : files.read(tree, maxTreeBytes);
  const entries = root && parseTreeObject(root.bytes, "");
  if (entries === undefined) return undefined;
  const entry = entries.find(({ path }) => path === fileName);
  if (entry === undefined) return "";
  return entry.mode.startsWith("100") ? files.read(entry.hash, maxBytes)?.bytes.toString("utf8") : undefined;
}

const mapping = /^[ \t\r]*([^<>]*)<([^<>]+)>[ \t\r]*(?:([^<>]*)<([^<>]*)>[ \t\r]*)?$/;

/** Returns `undefined` for a text with malformed lines or bytes, which git must interpret. */
export function parseMailmap(text: string): Mailmap | undefined {
  if (/[\0\ufffd]/.test(text)) return undefined;
  const byEmail = new Map<string, Replacement>();
  for (const line of text.split("\n")) {
    if (line.length > maxLineLength) return undefined;
    if (line.startsWith("#") || !line.includes("<")) continue;
    const match = mapping.exec(line);
    if (match === null) return undefined;
    const [, newName = "", email = "", oldName = "", oldEmail] = match;
    const name = trimSpaceAtEnd(newName);
    const replacement = { ...(name === "" ? {} : { name }), ...(oldEmail === undefined ? {} : { email }) };
    const key = lowerAscii(oldEmail ?? email);
    const known = byEmail.get(key) ?? { byName: new Map() };
    byEmail.set(key, known);
    const exception = lowerAscii(trimSpaceAtEnd(oldName));
    if (exception === "") Object.assign(known, replacement);
    else known.byName.set(exception, replacement);
  }
  return ({ name, email }) => {
    const known = byEmail.get(lowerAscii(email));
    const replacement = known?.byName.get(lowerAscii(name)) ?? known;
    return { name: replacement?.name ?? name, email: replacement?.email ?? email };
  };
}

/** Git does not ignore the case of other letters. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
