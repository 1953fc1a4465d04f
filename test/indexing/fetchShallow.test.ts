/** Jobs of indexers: fetching commits over HTTP, and jobs that are not valid. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fetchShallow } from "#indexing/fetchShallow";
import { runIndexJob } from "#indexing/indexJob";
import { diskFiles } from "#platform/files";
import { gitServer } from "#test/support/gitServer";
import { repo, temporaryFolder } from "#test/support/repo";

const token = "s3cret-token";
const { signal } = new AbortController();

test("only the wanted commits are fetched, with the token in a header", async (t) => {
  const server = await gitServer(t);
  const source = server.create(
    "team/shop",
    "= main: First\na.txt\n| one\n= main: Second\na.txt\n| two\ntag v1\n",
  );
  const commit = source.git("rev-parse", "main");
  const folder = join(temporaryFolder(), "copy.git");
  const refs = [
    { name: "refs/heads/main", commit },
    { name: "refs/tags/v1", commit },
  ];
  const options = { token, configuration: "[core]\n\tbare = true\n", files: diskFiles, timeoutMs: 20_000 };
  await fetchShallow(`${server.origin}/team/shop.git`, folder, refs, options, signal);
  const copy = repo("", { bare: true });
  const git = (...args: string[]) => copy.git("--git-dir", folder, ...args);
  assert.equal(git("show", "refs/tags/v1:a.txt"), "two");
  assert.equal(git("rev-list", "--count", "refs/heads/main"), "1");
  assert.ok(server.authorizations.length > 0);
  for (const authorization of server.authorizations) assert.equal(authorization, `Bearer ${token}`);
});

test("the token is not sent to another server, and in no error", async (t) => {
  const server = await gitServer(t);
  const other = await gitServer(t);
  server.mode = { kind: "redirect", origin: other.origin };
  const folder = join(temporaryFolder(), "copy.git");
  const options = { token, configuration: "", files: diskFiles, timeoutMs: 20_000 };
  const refs = [{ name: "refs/heads/main", commit: "1".repeat(40) }];
  await assert.rejects(
    fetchShallow(`${server.origin}/x.git`, folder, refs, options, signal),
    ({ code, message }: Error & { code: string }) => code === "GIT_FAILED" && !message.includes(token),
  );
  assert.deepEqual(other.paths, []);
});

test("a job that is not valid starts nothing", async () => {
  const folder = temporaryFolder();
  const context = {
    indexFolder: folder,
    program: "/nonexistent",
    temporaryFolder: join(folder, "temporary"),
    files: diskFiles,
  };
  const revision = { name: "refs/heads/main", commit: "1".repeat(40) };
  const job = { repositoryId: 1, name: "shop", source: "/git/shop", maxFileBytes: 1, revisions: [revision] };
  const invalid = [
    { ...job, source: "relative" },
    { ...job, source: "ssh://host/shop" },
    { ...job, source: "ext::sh -c touch% /tmp/x" },
    { ...job, name: "../../outside" },
    { ...job, repositoryId: -1 },
    { ...job, revisions: [{ ...revision, name: "refs/heads/a\nb" }] },
    { ...job, revisions: [{ ...revision, name: "--upload-pack=x" }] },
    { ...job, revisions: [{ ...revision, commit: "--upload-pack=x" }] },
  ];
  for (const each of invalid)
    await assert.rejects(runIndexJob(each, context, signal), { code: "UNEXPECTED_ERROR" });
  assert.deepEqual(readdirSync(folder), []);
  assert.ok(!existsSync(context.temporaryFolder));
});

test("the token is never read for another server", async () => {
  const folder = temporaryFolder();
  const token = { origin: "https://git.example.com", read: () => assert.fail("The token was read.") };
  const context = {
    ...{ indexFolder: folder, program: "/nonexistent", files: diskFiles, token },
    temporaryFolder: join(folder, "temporary"),
  };
  const revisions = [{ name: "refs/heads/main", commit: "1".repeat(40) }];
  for (const source of ["https://git.example.com.evil.test/x", "http://git.example.com/x"])
    await assert.rejects(
      runIndexJob({ repositoryId: 1, name: "shop", source, maxFileBytes: 1, revisions }, context, signal),
      /shop cannot be fetched from .*names another server/,
    );
});
