import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Finding, Outcome } from "#instance/doctor";
import { smallDisk } from "#test/support/disk";
import { temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { type TrawlOptions, trawl, trawlBundle } from "#test/support/trawl";

interface Examined {
  readonly code: number | null;
  readonly findings: readonly Finding[];
}

async function doctor(args: readonly string[], options: TrawlOptions = {}): Promise<Examined> {
  const { code, stdout, stderr } = await trawl(["doctor", "--json", ...args], temporaryFolder(), options);
  assert.equal(stderr, "");
  return { code, findings: JSON.parse(stdout) };
}

function outcomeOf({ findings }: Examined, name: string): Finding | undefined {
  return findings.find((each) => each.name === name);
}

function dataDirectory(): string {
  const dataDir = temporaryFolder();
  chmodSync(dataDir, 0o700);
  return dataDir;
}

test("a computer that can run Trawl has no problem, and nothing is created", async () => {
  const parent = temporaryFolder();
  const dataDir = join(parent, "not", "there");
  const examined = await doctor(["--data-dir", dataDir, "--port", "0"]);
  assert.equal(examined.code, 0, JSON.stringify(examined.findings));
  assert.match(outcomeOf(examined, "git")?.detail ?? "", /^\d+\.\d+/);
  assert.equal(outcomeOf(examined, "data directory")?.detail, `${dataDir} will be created.`);
  assert.deepEqual(readdirSync(parent), []);
});

/** A broken set-up, and what the finding must say. */
interface Broken {
  readonly name: string;
  readonly outcome: Exclude<Outcome, "ok">;
  readonly detail: RegExp;
  readonly advice: RegExp;
  /** Returns `undefined` if only root can prepare it. */
  readonly args: () => readonly string[] | undefined;
  readonly env?: () => Readonly<Record<string, string>>;
  readonly user?: number;
}

const isRoot = process.getuid?.() === 0;
/** Another user for the doctor, whom permissions restrict. */
const stranger = isRoot ? { user: 65_534 } : {};

function fileWith(name: string, text: string): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

const broken: readonly Broken[] = [
  {
    name: "git",
    outcome: "problem",
    detail: /Cannot start git/,
    advice: /Install git/,
    args: () => ["--data-dir", dataDirectory()],
    env: () => ({ PATH: "/nowhere" }),
  },
  {
    name: "git",
    outcome: "problem",
    detail: /requires git 2\.30 or newer, but found git version 2\.17\.1/,
    advice: /Install git 2\.30 or newer/,
    args: () => ["--data-dir", dataDirectory()],
    env() {
      const git = fileWith("git", "#!/bin/sh\necho git version 2.17.1\n");
      chmodSync(git, 0o755);
      return { PATH: dirname(git) };
    },
  },
  {
    name: "data directory",
    outcome: "problem",
    detail: /belongs to another user/,
    advice: /Run Trawl as that user/,
    args() {
      const dataDir = dataDirectory();
      if (isRoot) chownSync(dataDir, 65_534, 65_534);
      return isRoot ? ["--data-dir", dataDir] : undefined;
    },
  },
  {
    name: "data directory",
    outcome: "problem",
    detail: /Cannot read and write \S+catalogue\.json/,
    advice: /Change the owner of all files/,
    ...stranger,
    args() {
      const dataDir = dataDirectory();
      writeFileSync(join(dataDir, "catalogue.json"), "", { mode: 0o400 });
      if (isRoot) chownSync(dataDir, 65_534, 65_534);
      return ["--data-dir", dataDir];
    },
  },
  {
    name: "data directory",
    outcome: "problem",
    detail: /is on a file system that is mounted read-only/,
    advice: /Mount it with write access/,
    args() {
      const disk = smallDisk(1);
      if ("reason" in disk) return undefined;
      spawnSync("mount", ["-o", "remount,ro", disk.path]);
      return ["--data-dir", disk.path];
    },
  },
  {
    name: "disk space",
    outcome: "problem",
    detail: /^3 MB free/,
    advice: /Free some space/,
    args() {
      const disk = smallDisk(3);
      return "reason" in disk ? undefined : ["--data-dir", disk.path];
    },
  },
  {
    name: "data directory",
    outcome: "problem",
    detail: /is not a folder/,
    advice: /--data-dir/,
    args: () => ["--data-dir", join(fileWith("file", ""), "data")],
  },
  {
    name: "data directory",
    outcome: "problem",
    detail: /was written by a newer Trawl/,
    advice: /Update/,
    args() {
      const dataDir = dataDirectory();
      writeFileSync(join(dataDir, "format"), "99\n");
      return ["--data-dir", dataDir];
    },
  },
  {
    name: "data directory",
    outcome: "warning",
    detail: /Other users can read/,
    advice: /chmod/,
    args() {
      const dataDir = dataDirectory();
      chmodSync(dataDir, 0o755);
      return ["--data-dir", dataDir];
    },
  },
  {
    name: "clock",
    outcome: "warning",
    detail: /in the future, at 2099/,
    advice: /Set the clock/,
    args() {
      const dataDir = dataDirectory();
      writeFileSync(join(dataDir, "catalogue.json"), "");
      const date = new Date("2099-01-01");
      utimesSync(join(dataDir, "catalogue.json"), date, date);
      return ["--data-dir", dataDir];
    },
  },
  {
    name: "database",
    outcome: "problem",
    detail: /./,
    advice: /Check the address/,
    args: () => ["--data-dir", dataDirectory(), "--database", "postgres://me:secret@127.0.0.1:1/none"],
  },
  {
    name: "paths",
    outcome: "problem",
    detail: /Cannot read .*nowhere/,
    advice: /Check the paths/,
    args: () => [
      "--data-dir",
      dataDirectory(),
      "--config",
      fileWith("trawl.json", '{ "paths": ["nowhere"] }'),
    ],
  },
  {
    name: "paths",
    outcome: "problem",
    detail: /Cannot read .*closed/,
    advice: /permissions/,
    ...stranger,
    args() {
      const file = fileWith("trawl.json", '{ "paths": ["closed"] }');
      mkdirSync(join(dirname(file), "closed"), { mode: isRoot ? 0o700 : 0 });
      chmodSync(dirname(file), 0o755);
      chmodSync(file, 0o644);
      return ["--data-dir", join(dirname(file), "data"), "--config", file];
    },
  },
];

for (const { name, outcome, detail, advice, args, env, user } of broken) {
  test(`the doctor finds a ${outcome} with the ${name}: ${detail.source}`, async (t) => {
    const words = args();
    if (words === undefined) return t.diagnostic("Nothing was tested: only root can prepare this.");
    const options = { ...(env && { env: env() }), ...(user === undefined ? {} : { user }) };
    const examined = await doctor([...words, "--port", "0"], options);
    const found = outcomeOf(examined, name);
    assert.equal(found?.outcome, outcome, JSON.stringify(examined.findings));
    assert.match(found.detail, detail);
    assert.match(found.advice ?? "", advice);
    assert.doesNotMatch(JSON.stringify(examined.findings), /secret/);
    assert.equal(examined.code, outcome === "problem" ? 1 : 0);
  });
}

test("the doctor warns if other programs have used up the file watches", (t) => {
  const script = 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$0" "$@"';
  const words = [
    process.execPath,
    trawlBundle,
    "doctor",
    "--json",
    "--data-dir",
    dataDirectory(),
    "--port",
    "0",
  ];
  const { status, stdout, stderr } = spawnSync("unshare", ["-Ur", "sh", "-c", script, ...words], {
    encoding: "utf8",
  });
  if (status !== 0 && stdout === "") return t.diagnostic(`Nothing was tested: unshare: ${stderr}`);
  const found = outcomeOf({ code: status, findings: JSON.parse(stdout) }, "file watches");
  assert.equal(found?.outcome, "warning");
  assert.match(found.detail, /^No folder can be watched/);
  assert.match(found.advice ?? "", /sysctl fs\.inotify\.max_user_instances=1024/);
});

test("the doctor reports a port that another program uses, also to people", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  try {
    const dataDir = dataDirectory();
    const { code, stdout } = await trawl(["doctor", "--data-dir", dataDir, "--port", `${address.port}`]);
    assert.equal(code, 1);
    assert.match(
      stdout,
      new RegExp(
        `^✖ port: Cannot listen on 127\\.0\\.0\\.1, port ${address.port}: the port is in use\\.\\n  \\S`,
        "m",
      ),
    );
    assert.ok(!existsSync(join(dataDir, "owner.lock")));
  } finally {
    server.close();
  }
});

test("the doctor reports the port of a running server, but not of one that crashed", async () => {
  const dataDir = dataDirectory();
  const server = await serve(dataDir);
  const { port } = new URL(server.url);
  const args = ["--data-dir", dataDir, "--port", port];
  const running = outcomeOf(await doctor(args), "port");
  assert.deepEqual(running, { name: "port", outcome: "ok", detail: `Trawl listens at ${server.url}.` });
  await server.kill();
  const free = outcomeOf(await doctor(args), "port");
  assert.deepEqual(free, { name: "port", outcome: "ok", detail: `${port} is free.` });
});
