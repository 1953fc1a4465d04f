import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import type { Finding, Outcome } from "#instance/doctor";
import { temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

interface Examined {
  readonly code: number | null;
  readonly findings: readonly Finding[];
}

async function doctor(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Examined> {
  const { code, stdout, stderr } = await trawl(["doctor", "--json", ...args], temporaryFolder(), { env });
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
  readonly args: () => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

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
    env: { PATH: "/nowhere" },
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
];

for (const { name, outcome, detail, advice, args, env } of broken) {
  test(`the doctor finds a ${outcome} with the ${name}: ${detail.source}`, async () => {
    const examined = await doctor([...args(), "--port", "0"], env);
    const found = outcomeOf(examined, name);
    assert.equal(found?.outcome, outcome, JSON.stringify(examined.findings));
    assert.match(found.detail, detail);
    assert.match(found.advice ?? "", advice);
    assert.doesNotMatch(JSON.stringify(examined.findings), /secret/);
    assert.equal(examined.code, outcome === "problem" ? 1 : 0);
  });
}

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
