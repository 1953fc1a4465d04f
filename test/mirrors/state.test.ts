/** The state of mirrors on disk. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MirrorState } from "#mirrors/state";
import { systemClock } from "#platform/clock";
import { diskFiles } from "#platform/files";
import { silentLog } from "#platform/log";
import { temporaryFolder } from "#test/support/repo";
import { describeRepository } from "#test/support/simulatedHost";

function open(dataDir: string): MirrorState {
  return new MirrorState({ dataDir, files: diskFiles, clock: systemClock, log: silentLog });
}

function filled(): { dataDir: string; file: string } {
  const dataDir = temporaryFolder();
  const state = open(dataDir);
  for (const id of ["1", "2"]) {
    const repository = describeRepository(id, `acme/r${id}`);
    const holdings = { main: { scopes: ["acme"], seenWith: "x" } };
    state.add({
      type: "gitea",
      url: "https://git.example.com",
      repository,
      holdings,
      fetches: { nextAt: 5, failures: 0 },
    });
  }
  for (const mirror of state.mirrors) {
    mkdirSync(state.pathOf(mirror), { recursive: true });
    state.describe(mirror);
  }
  state.putConnection("main", { nextListAt: 7, failures: 1, problems: [{ scope: "acme", message: "Busy" }] });
  state.close();
  return { dataDir, file: join(dataDir, "mirrors.json") };
}

test("mirrors and connections are stored, and numbers are not used again", () => {
  const { dataDir } = filled();
  const state = open(dataDir);
  const [first, second] = state.mirrors;
  assert.ok(first && second);
  assert.deepEqual([first.number, first.repository.path, second.number], [1, "acme/r1", 2]);
  assert.equal(state.connection("main").problems[0]?.message, "Busy");
  state.forget(second);
  state.close();
  const next = open(dataDir);
  // The folder of the forgotten mirror was left by a process that was killed.
  assert.deepEqual(readdirSync(join(dataDir, "mirrors")), ["1.git"]);
  next.add({ ...second, repository: describeRepository("3", "acme/r3") });
  assert.deepEqual(
    next.mirrors.map(({ number }) => number),
    [1, 3],
  );
});

const damages: Record<string, (text: string) => string> = {
  "cut short": (text) => text.slice(0, 100),
  empty: () => "",
  "a changed digit": (text) => text.replace('"nextAt":5', '"nextAt":6'),
};
for (const [name, damage] of Object.entries(damages)) {
  test(`a damaged file is set aside, and no mirror is lost: ${name}`, () => {
    const { dataDir, file } = filled();
    writeFileSync(file, damage(readFileSync(file, "utf8")));
    const state = open(dataDir);
    assert.deepEqual(
      state.mirrors.map(({ number, repository }) => [number, repository.hostId]),
      [
        [1, "1"],
        [2, "2"],
      ],
    );
    assert.deepEqual(readdirSync(join(dataDir, "mirrors")), ["1.git", "2.git"]);
    assert.ok(readdirSync(dataDir).some((each) => each.startsWith("mirrors.json.damaged-")));
  });
}

test("a file of a newer version is refused and not changed", () => {
  const { dataDir, file } = filled();
  const text = readFileSync(file, "utf8").replace('{"format":1,', '{"format":2,');
  writeFileSync(file, text);
  assert.throws(() => open(dataDir), { code: "STORAGE_FAILED" });
  assert.equal(readFileSync(file, "utf8"), text);
});

test("a file without a salt is read, and its digests of credentials are forgotten", () => {
  const { dataDir, file } = filled();
  const [, text = ""] = /"state":(.*)\}\n$/s.exec(readFileSync(file, "utf8")) ?? [];
  const { salt, ...content } = JSON.parse(text);
  assert.match(salt, /^[0-9a-f]{32}$/);
  content.connections.main.fingerprint = "0123456789abcdef";
  const old = JSON.stringify(content).replaceAll('"seenWith":"x"', '"seenWith":"0123456789abcdef"');
  const checksum = createHash("sha256").update(old).digest("hex").slice(0, 16);
  writeFileSync(file, `{"format":1,"checksum":"${checksum}","state":${old}}\n`);
  const state = open(dataDir);
  assert.equal(state.mirrors.length, 2);
  state.flush();
  assert.doesNotMatch(readFileSync(file, "utf8"), /0123456789abcdef/);
  assert.match(state.salt, /^[0-9a-f]{32}$/);
  assert.equal(open(dataDir).salt, state.salt);
  assert.notEqual(state.salt, salt);
});
