/** Copies commits of a repository, without their history, for programs that read git repositories themselves. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ServiceError } from "#base/error";
import { errorTextOf, gitFailure, spawnGit } from "#git/git";
import type { GitRepository } from "#git/repository";
import type { Files } from "#platform/files";

export interface CopiedRef {
  /** The full name. */
  readonly name: string;
  readonly commit: string;
}

/**
 * Creates a bare repository in `folder` with these refs and a configuration, and copies their commits, trees and blobs to
 * it. Writes nothing to the source.
 *
 * Throws GIT_FAILED, and CANCELLED when the signal fires.
 */
export async function copyShallow(
  source: GitRepository,
  folder: string,
  refs: readonly CopiedRef[],
  configuration: string,
  files: Files,
  signal: AbortSignal,
): Promise<void> {
  createBareRepository(folder, refs, configuration, files);
  writeRefs(folder, refs, files);
  await copyObjects(source, { gitDir: folder, commonDir: folder }, refs, signal);
}

/** Creates a bare repository without refs and objects, whose `HEAD` is the first of `refs`. */
export function createBareRepository(
  folder: string,
  refs: readonly CopiedRef[],
  configuration: string,
  files: Files,
): void {
  for (const name of ["objects/pack", "objects/info", "refs/heads"])
    mkdirSync(join(folder, name), { recursive: true });
  const [first] = refs;
  const head = first === undefined || first.name === "HEAD" ? (first?.commit ?? "") : `ref: ${first.name}`;
  writeText(files, join(folder, "HEAD"), `${head}\n`);
  writeText(files, join(folder, "config"), configuration);
}

export function writeRefs(folder: string, refs: readonly CopiedRef[], files: Files): void {
  const named = refs.filter(({ name }) => name !== "HEAD");
  const packed = named.map(({ name, commit }) => `${commit} ${name}\n`).sort();
  writeText(files, join(folder, "packed-refs"), packed.join(""));
}

async function copyObjects(
  source: GitRepository,
  target: GitRepository,
  refs: readonly CopiedRef[],
  signal: AbortSignal,
): Promise<void> {
  const commits = [...new Set(refs.map(({ commit }) => commit))];
  const packArguments = [
    "pack-objects",
    "--revs",
    "--shallow",
    "--stdout",
    "-q",
    "--threads=1",
    "--window=0",
  ];
  const pack = spawnGit(source, packArguments, { signal, isBuffered: true });
  const index = spawnGit(target, ["index-pack", "--stdin", "--threads=1"], { signal });
  pack.stdin.end(
    [...commits.map((commit) => `--shallow ${commit}\n`), ...commits.map((commit) => `${commit}\n`)].join(""),
  );
  index.stdout.resume();
  const [piped, packed, indexed] = await Promise.allSettled([
    pipeline(pack.stdout, index.stdin),
    pack.ended,
    index.ended,
  ]);
  if (signal.aborted) throw new ServiceError("CANCELLED", "The request was canceled.");
  if (packed.status === "rejected") throw packed.reason;
  if (packed.value !== 0) throw gitFailure(source, packArguments, errorTextOf(pack));
  if (indexed.status === "rejected") throw indexed.reason;
  if (indexed.value !== 0) throw gitFailure(target, ["index-pack"], errorTextOf(index));
  if (piped.status === "rejected") throw piped.reason;
}

function writeText(files: Files, path: string, text: string): void {
  const descriptor = files.create(path);
  try {
    files.write(descriptor, Buffer.from(text));
  } finally {
    files.close(descriptor);
  }
}
