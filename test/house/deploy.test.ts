/** The files that deploy a server name only flags, settings and files that exist. Building the image takes too long here. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commands } from "#cli/commands";
import { readFlags } from "#cli/flags";
import { readConfigurationFile, withDefaults } from "#instance/configuration";
import { projectRoot } from "#test/support/house";
import { temporaryFolder } from "#test/support/repo";

const read = (path: string) => readFileSync(join(projectRoot(), path), "utf8");
const dockerfile = read("Dockerfile").replaceAll(/\\\n/g, " ");
const compose = read("deploy/compose.yaml");
const unit = read("deploy/trawl.service");
const configuration = withDefaults(
  readConfigurationFile(join(projectRoot(), "deploy/trawl.jsonc")),
  "/data",
  String,
);

/** Checks the words after `trawl`, as the command line does. */
function checkCommand([name, ...words]: readonly string[]) {
  const command = commands.find((each) => each.name === name) ?? assert.fail(name);
  return readFlags(words, command.flags);
}

function jsonArray(text: string | undefined): string[] {
  return JSON.parse(text ?? assert.fail("There is no such line."));
}

test("the image copies files that exist and that its build receives", () => {
  const allowed = [...read(".dockerignore").matchAll(/^!(.+)$/gm)].map(([, pattern = ""]) => pattern);
  const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, words = ""]) =>
    words.split(/\s+/),
  );
  assert.ok(sources.length > 8);
  for (const source of sources) {
    assert.ok(existsSync(join(projectRoot(), source)), source);
    const isAllowed = allowed.some((pattern) =>
      new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`).test(source),
    );
    assert.ok(isAllowed, `.dockerignore excludes ${source}`);
  }
  const script = /^RUN node (\S+)/m.exec(dockerfile)?.[1] ?? "";
  assert.ok(existsSync(join(projectRoot(), script)), script);
  // What the build of the package reads must be copied, too.
  for (const [, list = ""] of read(script).matchAll(/for \(const file of \[(.*)\]\)/g)) {
    for (const file of jsonArray(`[${list}]`)) assert.ok(sources.includes(file), file);
  }
});

test("the image, the compose file and the unit run commands that exist, on the same port", () => {
  const flags = checkCommand(jsonArray(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1]));
  const port = flags.integer("port", 1, 65_535);
  assert.equal(configuration.port, port);
  assert.equal(configuration.host, flags.text("host"));
  assert.match(dockerfile, new RegExp(`^EXPOSE ${port}$`, "m"));
  assert.match(dockerfile, new RegExp(`http://127\\.0\\.0\\.1:${port}/readyz`));
  assert.match(compose, new RegExp(`"127\\.0\\.0\\.1:${port}:${port}"`));

  const composed = checkCommand(jsonArray(/^ {4}command: (\[.*\])$/m.exec(compose)?.[1]));
  assert.match(compose, new RegExp(`target: ${composed.text("config")}$`, "m"));

  const [, program, line = ""] = /^ExecStart=(\S+) (.*)$/m.exec(unit) ?? [];
  assert.equal(program, "trawl");
  const started = checkCommand(line.split(" "));
  const credential = /^\$\{CREDENTIALS_DIRECTORY\}\/(\w+)$/.exec(started.text("config") ?? "")?.[1];
  assert.match(unit, new RegExp(`^LoadCredential=${credential}:`, "m"));
});

test("the compose file is as strict as the image allows, and refers to files that exist", () => {
  assert.doesNotMatch(compose, /\t/);
  const settings = compose.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  for (const line of settings) assert.match(line, /^(?: {2})*(?:- \S+$|(?:- )?[\w-]+:(?: \S.*)?$)/, line);
  const volume = /^VOLUME (\S+)$/m.exec(dockerfile)?.[1];
  assert.match(compose, new RegExp(`^ {6}- data:${volume}$`, "m"));
  for (const strict of ["read_only: true", "cap_drop: [ALL]", 'security_opt: ["no-new-privileges:true"]']) {
    assert.ok(compose.includes(`    ${strict}\n`), strict);
  }
  for (const [, file = ""] of compose.matchAll(/^ {4}file: (\S+)$/gm)) {
    assert.ok(existsSync(join(projectRoot(), "deploy", file)), file);
  }
  assert.match(dockerfile, /^USER (?!0\b|root)\S+$/m);
});

test("the unit sets each option once, in a section", () => {
  let section = "";
  const seen = new Set<string>();
  for (const line of unit.split("\n").filter((each) => each !== "" && !each.startsWith("#"))) {
    section = /^\[(Unit|Service|Install)\]$/.exec(line)?.[1] ?? section;
    if (line.startsWith("[")) continue;
    const [, name = ""] = /^([A-Z]\w+)=/.exec(line) ?? [];
    const mayRepeat = ["LoadCredential", "SystemCallFilter", "Environment"].includes(name);
    assert.ok(section !== "" && name !== "" && (mayRepeat || !seen.has(name)), line);
    seen.add(name);
  }
  for (const name of ["DynamicUser", "ProtectSystem", "StateDirectory", "LoadCredential", "Restart"]) {
    assert.ok(seen.has(name), name);
  }
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test(`systemd accepts the unit, and how it is confined${hasSystemd ? "" : " (not run: there is no systemd-analyze)"}`, {
  skip: !hasSystemd,
}, () => {
  const file = join(temporaryFolder(), "trawl.service");
  writeFileSync(file, unit.replace("ExecStart=trawl", `ExecStart=${process.execPath}`));
  for (const check of [["verify"], ["security", "--offline=true", "--threshold=15"]]) {
    const { status, stdout, stderr } = spawnSync("systemd-analyze", [...check, file], { encoding: "utf8" });
    assert.equal(status, 0, stdout + stderr);
    // Unknown options are only warnings.
    assert.doesNotMatch(stderr, /trawl\.service/);
  }
});

test("the processes of the cluster start with flags and settings that exist, on the ports that others use", () => {
  const file = join(projectRoot(), "deploy/cluster/trawl.jsonc");
  const settings = readConfigurationFile(file);
  for (const role of ["frontend", "gitserver", "indexer"] as const)
    withDefaults({ ...settings, role }, "/data", String);
  const { zoekt, gitServer, gitServers = [], port } = withDefaults(settings, "/data", String);
  const text = read("deploy/cluster/compose.yaml");
  for (const { name } of zoekt?.nodes ?? assert.fail()) {
    const line = new RegExp(`^ {2}indexer-${name}:\\n.*\\n {4}command: (\\[.*\\])$`, "m").exec(text)?.[1];
    const flags = checkCommand(jsonArray(line));
    assert.deepEqual([flags.text("role"), flags.text("node")], ["indexer", name]);
    assert.equal(flags.text("config"), "/etc/trawl/trawl.jsonc");
    assert.ok(text.includes(`127.0.0.1:${flags.integer("port", 1, 65_535)}/readyz`));
  }
  for (const { url } of [...gitServers, ...(zoekt?.nodes ?? [])])
    assert.match(text, new RegExp(`^ {2}${new URL(url).hostname}:`, "m"));
  assert.ok(text.includes(`127.0.0.1:${gitServer?.port}/readyz`));
  assert.ok(text.includes(`"127.0.0.1:${port}:${port}"`));
  assert.ok(text.includes(`-listen", ":${new URL(zoekt?.nodes[0]?.url ?? "").port}"`));
});

const chart = join(projectRoot(), "deploy/helm");
const helm = process.env["HELM_BIN"] ?? "helm";
const hasHelm = spawnSync(helm, ["version", "--short"]).status === 0;

test(`the chart renders what Trawl accepts${hasHelm ? "" : " (not run: there is no helm in HELM_BIN or on the PATH)"}`, {
  skip: !hasHelm,
}, () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(helm, args, { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  run("lint", "--strict", chart);
  const text = run("template", "team", chart, "--kube-version", "1.30.0", "--set", "settings.auditDays=30");
  const [, json = ""] = /^ {2}trawl\.json: \|\n((?: {4}.*\n)+)/m.exec(text) ?? [];
  const file = join(temporaryFolder(), "trawl.json");
  writeFileSync(file, json, { mode: 0o600 });
  const settings = readConfigurationFile(file);
  for (const [, list = ""] of text.matchAll(/^ {10}args: \[(serve, .*)\]$/gm)) {
    const flags = checkCommand(list.replace("$(POD_NAME)", "POD").replaceAll('"', "").split(", "));
    const role = flags.text("role") as "frontend" | "gitserver" | "indexer";
    const { zoekt, auditDays } = withDefaults({ ...settings, role }, "/data", String);
    assert.equal(auditDays, 30);
    assert.deepEqual(
      zoekt?.nodes.map(({ name, url }) => [name, url]),
      [0, 1, 2].map((at) => [
        `team-trawl-zoekt-${at}`,
        `http://team-trawl-zoekt-${at}.team-trawl-zoekt:6070`,
      ]),
    );
  }
  for (const kind of ["StatefulSet", "Deployment", "PodDisruptionBudget", "ConfigMap", "Secret"])
    assert.match(text, new RegExp(`^kind: ${kind}$`, "m"));
});
