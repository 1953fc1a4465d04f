import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Finding, Outcome } from "#instance/finding";
import { smallDisk } from "#test/support/disk";
import { client, startIssuer } from "#test/support/issuer";
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

/** Returns the arguments for a configuration file with these settings. */
function withSettings(settings: object): readonly string[] {
  const file = fileWith("trawl.json", JSON.stringify(settings));
  return ["--data-dir", dataDirectory(), "--port", "0", "--config", file];
}

const loginOf = (issuer: string) => withSettings({ oauth: { issuer, clientId: client.id } });

test("the doctor accepts a login server, and reports when it is down", async () => {
  const issuer = await startIssuer({});
  await issuer.allowLogin("http://127.0.0.1:1");
  const args = loginOf(issuer.url);
  try {
    const found = outcomeOf(await doctor(args), "login");
    assert.deepEqual(found, { name: "login", outcome: "ok", detail: issuer.url });
  } finally {
    await issuer.close();
  }
  const examined = await doctor(args);
  const found = outcomeOf(examined, "login");
  assert.equal(found?.outcome, "problem");
  assert.match(found.detail, /^The login server http:\/\/127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/);
  assert.match(found.advice ?? "", /can reach http:\S+\/\.well-known\/openid-configuration/);
  assert.equal(examined.code, 1);
});

/** Maps what is wrong with a login server to its discovery document, given its address, and its keys. */
const brokenIssuers: Readonly<Record<string, readonly [document: (url: string) => unknown, keys?: unknown]>> =
  {
    "no JSON object": [() => "<html>Log in</html>"],
    "is for https://other\\.example": [() => ({ issuer: "https://other.example" })],
    "jwks_uri is undefined": [(issuer) => ({ issuer })],
    "JSON Web Key Set malformed": [(issuer) => ({ issuer, jwks_uri: `${issuer}/jwks` }), { no: "keys" }],
    "authorization_endpoint is http://login\\.example/": [
      (issuer) => ({
        issuer,
        jwks_uri: `${issuer}/jwks`,
        authorization_endpoint: "http://login.example/",
      }),
      { keys: [] },
    ],
  };

for (const [reason, [document, keys]] of Object.entries(brokenIssuers)) {
  test(`the doctor finds a problem with the login: ${reason}`, async () => {
    let url = "";
    const server = createHttpServer(({ url: path }, response) => {
      const body = path === "/jwks" ? keys : document(url);
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const found = outcomeOf(await doctor(loginOf(url)), "login");
      assert.equal(found?.outcome, "problem");
      assert.match(found.detail, new RegExp(`^The login server ${url} cannot be used: .*${reason}`));
      assert.match(found.advice ?? "", /"oauth\.issuer"/);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
}

const token = "the-token-that-nobody-may-see";
const rsaKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const pem = rsaKey.export({ format: "pem", type: "pkcs8" }).toString();

function secretFile(text: string, mode: number): string {
  const file = fileWith("secret", text);
  chmodSync(file, mode);
  return file;
}

/** Returns the settings of a GitHub connection with all its secrets. */
function connectionWith(privateKey: object, password: object, secret: object) {
  return {
    connections: {
      github: {
        type: "github",
        app: { id: 1, installation: 2, privateKey },
        include: { installation: true },
        proxy: "http://proxy.example:3128",
        proxyLogin: { user: "trawl", password },
        webhook: { secret },
      },
    },
  };
}

test("the doctor finds that all secrets can be read, by nobody else", async () => {
  const key = { file: secretFile(pem, 0o400) };
  const settings = connectionWith(key, { env: "PROXY_PASSWORD" }, { file: secretFile(token, 0o440) });
  const examined = await doctor(withSettings(settings), { env: { PROXY_PASSWORD: token } });
  assert.equal(outcomeOf(examined, "secrets")?.outcome, "ok", JSON.stringify(examined.findings));
  assert.match(outcomeOf(examined, "secrets")?.detail ?? "", /^connections\.github\.proxyLogin\.password, /);
  assert.equal(outcomeOf(examined, "secret files")?.outcome, "ok");
  assert.doesNotMatch(JSON.stringify(examined), new RegExp(`${token}|PRIVATE KEY`));
});

test("the doctor finds secrets that cannot be read", async () => {
  const password = { env: "PROXY_PASSWORD" };
  const settings = connectionWith({ file: secretFile(token, 0o600) }, password, { file: "/nowhere/secret" });
  const examined = await doctor(
    withSettings({
      ...settings,
      oauth: { issuer: "http://127.0.0.1:1", clientId: "a", clientSecret: { env: "UNSET" } },
      team: { url: "https://team.example", key: { file: secretFile("", 0o600) } },
    }),
    { env: { PROXY_PASSWORD: `two\n${token}` } },
  );
  const found = outcomeOf(examined, "secrets");
  assert.equal(found?.outcome, "problem");
  for (const detail of [
    /oauth\.clientSecret: The environment variable UNSET is not set\./,
    /team\.key: The file \S+ is empty/,
    /connections\.github\.proxyLogin\.password: The environment variable PROXY_PASSWORD contains a line break/,
    /connections\.github\.webhook\.secret: Cannot read the secret in \/nowhere\/secret: ENOENT\./,
    /connections\.github\.app\.privateKey: \S+ contains no private RSA key/,
  ])
    assert.match(found.detail, detail);
  assert.match(found.advice ?? "", /as the user who runs the server, with the same environment/);
  assert.doesNotMatch(JSON.stringify(examined), new RegExp(token));
});

test("the doctor finds secrets that others can read", async () => {
  const file = secretFile(token, 0o604);
  const team = { url: "https://team.example", key: { file } };
  const open = outcomeOf(await doctor(withSettings({ team })), "secret files");
  assert.deepEqual(open, {
    name: "secret files",
    outcome: "warning",
    detail: `Other users can read ${file}.`,
    advice: `Run chmod o= ${file}.`,
  });
  const sshKey = { file: secretFile(pem, 0o640) };
  const ssh = { type: "genericGitHost", url: "ssh://git@git.example", include: { repos: ["a"] } };
  const connections = { git: { ...ssh, sshKey, knownHosts: "/nowhere" } };
  const examined = await doctor(withSettings({ team, connections }));
  const refused = outcomeOf(examined, "secret files");
  assert.equal(refused?.outcome, "problem");
  assert.equal(refused.detail, `ssh refuses the key ${sshKey.file}, because other users can read it.`);
  assert.equal(refused.advice, `Run chmod go= ${sshKey.file}.`);
  assert.doesNotMatch(JSON.stringify(examined), new RegExp(`${token}|PRIVATE KEY`));
});

test("the doctor finds a secret that only another user can read", async (t) => {
  if (!isRoot) return t.diagnostic("Nothing was tested: only root can prepare this.");
  const file = secretFile(token, 0o600);
  const args = withSettings({ team: { url: "https://team.example", key: { file } } });
  for (const path of [args.at(-1) ?? "", file]) {
    chmodSync(dirname(path), 0o755);
    chownSync(path, 0, 0);
  }
  chmodSync(args.at(-1) ?? "", 0o644);
  const found = outcomeOf(await doctor(args, stranger), "secrets");
  assert.equal(found?.outcome, "problem");
  assert.match(found.detail, /team\.key: Cannot read the secret in \S+: EACCES\./);
});
