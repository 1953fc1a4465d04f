/** Mirrors over SSH: with a key and the known hosts of the configuration, and nothing else. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type MirrorOptions, updateMirror } from "#git/mirror/mirror";
import type { SshAccess } from "#git/mirror/ssh";
import { openHost } from "#hosts/openHost";
import { parseConnections } from "#hosts/parseConnections";
import { mayCloneFrom } from "#mirrors/connection";
import { diskFiles } from "#platform/files";
import { projectRoot } from "#test/support/house";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { type SshServer, sshKey, sshObstacle, sshServer } from "#test/support/sshServer";

const obstacle = sshObstacle();

function mirrorOver(ssh: SshAccess, folder = temporaryFolder()) {
  const path = join(folder, "1.git");
  const controller = new AbortController();
  const options: MirrorOptions = {
    files: diskFiles,
    helperFolder: join(projectRoot(), "dist/server/credentialHelper"),
    homeFolder: folder,
    timeoutMs: 60_000,
    signal: controller.signal,
  };
  const update = (url: string, change: Partial<MirrorOptions> = {}, access: Partial<SshAccess> = {}) =>
    updateMirror(path, { url, allowsHttp: false, ssh: { ...ssh, ...access } }, { ...options, ...change });
  return { path, folder, controller, update };
}

function world({ keyFile, knownHost }: SshServer) {
  const folder = temporaryFolder();
  const knownHosts = join(folder, "known hosts");
  writeFileSync(knownHosts, knownHost);
  return { ...mirrorOver({ key: { file: keyFile }, knownHosts }), knownHosts };
}

async function silentServer(t: TestContext) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

if (obstacle !== undefined)
  test("mirrors over SSH", (t) => t.diagnostic(`Nothing was tested with a real sshd: ${obstacle}.`));
else {
  test("a repository is cloned and fetched over SSH, with a key file or an agent", async (t) => {
    const server = await sshServer(t);
    const origin = repo("= trunk: One\na\n| 1\ntag v1: First", { bare: true });
    const { path, update, knownHosts } = world(server);
    const url = `${server.url}${origin.path}`;
    assert.deepEqual(await update(url), { hasMoved: true, isEmpty: false });
    origin.more("= trunk: Two\na\n| 2");
    assert.deepEqual(await update(url), { hasMoved: true, isEmpty: false });
    assert.deepEqual(await update(url), { hasMoved: false, isEmpty: false });
    assert.equal(String(runGit(path, ["for-each-ref"])), String(runGit(origin.path, ["for-each-ref"])));
    assert.match(readFileSync(join(path, "HEAD"), "utf8"), /refs\/heads\/trunk/);
    assert.doesNotMatch(readFileSync(join(path, "config"), "utf8"), /ssh|remote/);

    const socket = join(temporaryFolder(), "agent");
    const started = spawnSync("ssh-agent", ["-a", socket], { encoding: "utf8" }).stdout;
    t.after(() => process.kill(Number(/SSH_AGENT_PID=(\d+)/.exec(started)?.[1])));
    spawnSync("ssh-add", ["-q", server.keyFile], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
    process.env["TRAWL_TEST_AGENT"] = socket;
    t.after(() => delete process.env["TRAWL_TEST_AGENT"]);
    origin.more("= trunk: Three\na\n| 3");
    const agent = { key: { agent: "TRAWL_TEST_AGENT" }, knownHosts };
    assert.deepEqual(await update(url, {}, agent), { hasMoved: true, isEmpty: false });
    const unset = { key: { agent: "TRAWL_TEST_UNSET" }, knownHosts };
    await assert.rejects(update(url, {}, unset), { code: "USAGE", message: /TRAWL_TEST_UNSET.*not set/ });
  });

  test("unknown and changed hosts, and keys that are not accepted, are refused without a prompt", async (t) => {
    const server = await sshServer(t);
    const url = `${server.url}${repo("= main: One\na\n| 1", { bare: true }).path}`;
    const { path, folder, update, knownHosts } = world(server);
    const keyFile = { file: server.keyFile };
    const otherKey = { key: { file: sshKey("other") }, knownHosts };
    await assert.rejects(update(url, {}, otherKey), (error: Error) => {
      assert.match(error.message, /Permission denied/);
      return true;
    });
    const otherHost = readFileSync(`${sshKey("host")}.pub`, "utf8")
      .split(" ")
      .slice(0, 2)
      .join(" ");
    const [address] = server.knownHost.split(" ");
    for (const text of ["", `${address} ${otherHost}\n`]) {
      const changed = join(temporaryFolder(), "known");
      writeFileSync(changed, text);
      await assert.rejects(update(url, {}, { key: keyFile, knownHosts: changed }), (error: Error) => {
        assert.match(
          error.message,
          /^git clone of (?!.*@@).*(Host key verification failed|IDENTIFICATION HAS CHANGED)/,
        );
        // Not where this computer keeps its files.
        assert.ok(!error.message.includes(changed));
        return true;
      });
      assert.equal(readFileSync(changed, "utf8"), text);
    }
    assert.ok(!existsSync(path));
    assert.deepEqual(readdirSync(folder), []);
  });

  test("a canceled or late clone ends ssh", async (t) => {
    const { server, port } = await silentServer(t);
    const url = `ssh://git@127.0.0.1:${port}/a.git`;
    const ssh = { key: { file: sshKey("key") }, knownHosts: "/dev/null" };
    const canceled = mirrorOver(ssh);
    const cloning = canceled.update(url);
    const [first] = await once(server, "connection");
    first.resume();
    canceled.controller.abort();
    await assert.rejects(cloning, { code: "CANCELLED" });
    if (!first.closed) await once(first, "close");

    const late = mirrorOver(ssh).update(url, { timeoutMs: 700 });
    late.catch(() => undefined);
    const [second] = await once(server, "connection");
    second.resume();
    await assert.rejects(late, { code: "TIMED_OUT" });
    if (!second.closed) await once(second, "close");
  });
}

test("users and hosts that would be options of ssh are refused", async () => {
  const marker = join(temporaryFolder(), "ran");
  const { update } = mirrorOver({ key: { file: "/nowhere" }, knownHosts: "/dev/null" });
  for (const url of [
    `ssh://-oProxyCommand=touch%20${encodeURIComponent(marker)}/a.git`,
    `ssh://-oProxyCommand=touch/a.git`,
    `ssh://-oProxyCommand=x@127.0.0.1/a.git`,
    `ssh://%2doProxyCommand=x@127.0.0.1/a.git`,
    `ssh://git;touch@127.0.0.1/a.git`,
    `ssh://git:s3cret@127.0.0.1/a.git`,
    `ssh://127.0.0.1$(id)/a.git`,
    "-oProxyCommand=x:a.git",
    "git@127.0.0.1:a.git",
  ])
    await assert.rejects(update(url), (error: Error) => {
      assert.match(error.message, /must begin with https/, url);
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    });
  assert.ok(!existsSync(marker));
});

test("repositories that a host lists over HTTPS are cloned over SSH, from the configured server only", async () => {
  const { main } = parseConnections({
    main: {
      type: "genericGitHost",
      url: "https://git.example.com",
      cloneUrlBase: "git@ssh.example.com:",
      sshKey: { file: "/run/key" },
      knownHosts: "/etc/known_hosts",
      include: { repos: ["team/my app"] },
    },
  });
  assert.ok(main);
  const listed: string[] = [];
  for await (const { repositories } of openHost("main", main).list(new AbortController().signal))
    listed.push(...repositories.map(({ cloneUrl }) => cloneUrl));
  assert.deepEqual(listed, ["ssh://git@ssh.example.com/team/my%20app"]);
  assert.ok(mayCloneFrom(main, listed[0] ?? ""));
  for (const other of [
    "ssh://git@other.example.com/a",
    "ssh://root@ssh.example.com/a",
    "ssh://git@ssh.example.com:23/a",
  ])
    assert.ok(!mayCloneFrom(main, other), other);
});

test("connections over SSH need a key and known hosts, by reference", () => {
  const parse = (change: object) =>
    parseConnections({
      a: {
        type: "genericGitHost",
        url: "ssh://git@Git.Example.com:2222/",
        include: { repos: ["b/c"] },
        ...change,
      },
    });
  const sshKey = { file: "/run/key" };
  const parsed = parse({ sshKey, knownHosts: "/etc/known hosts" })["a"];
  assert.deepEqual(parsed?.type === "genericGitHost" && [parsed.url, parsed.sshKey, parsed.knownHosts], [
    "ssh://git@git.example.com:2222",
    sshKey,
    "/etc/known hosts",
  ]);
  const scpLike = parse({ sshKey, knownHosts: "/k", url: "git@Git.example.com:team" })["a"];
  assert.equal(scpLike?.type === "genericGitHost" && scpLike.url, "ssh://git@git.example.com/team");
  const refused: readonly [object, RegExp][] = [
    [{}, /"connections\.a\.sshKey" is missing/],
    [{ sshKey }, /"connections\.a\.knownHosts" is missing/],
    [{ sshKey: "-----BEGIN", knownHosts: "/k" }, /sshKey" must be \{"file"/],
    [{ sshKey: { file: "key" }, knownHosts: "/k" }, /must be an absolute path/],
    [{ sshKey: { file: "/a%d" }, knownHosts: "/k" }, /must not contain the characters/],
    [{ sshKey, knownHosts: "/k", url: "ssh://-oProxyCommand=x/a" }, /must be a URL such as ssh/],
    [{ sshKey, knownHosts: "/k", url: "-oProxyCommand=x@h:a" }, /must be a URL such as ssh/],
    [{ sshKey, knownHosts: "/k", url: "ssh://git:pw@h/a" }, /must be a URL such as ssh/],
    [{ sshKey, knownHosts: "/k", user: "u", token: { env: "T" } }, /token" is not used over SSH/],
    [{ sshKey, knownHosts: "/k", include: { manifest: "m" } }, /include" cannot contain "manifest"/],
  ];
  for (const [change, message] of refused) assert.throws(() => parse(change), message);
  assert.throws(
    () =>
      parseConnections({
        a: { type: "github", cloneUrlBase: "ssh://git@github.com", include: { orgs: ["o"] } },
      }),
    /sshKey" is missing/,
  );
});
