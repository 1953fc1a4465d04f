import assert from "node:assert/strict";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { test } from "node:test";
import {
  childEnvironment,
  configFolderFor,
  dataDirectoryFor,
  expandHome,
  homeFolder,
  isColorEnabled,
} from "#platform/environment";
import { createLog, setLogFormat } from "#platform/log";

const directories: [NodeJS.Platform, Record<string, string>, string, string][] = [
  ["linux", {}, "/home/a", "/home/a/.local/share/trawl"],
  ["linux", { XDG_DATA_HOME: "/data" }, "/home/a", "/data/trawl"],
  ["linux", { XDG_DATA_HOME: "relative" }, "/home/a", "/home/a/.local/share/trawl"],
  ["linux", { XDG_DATA_HOME: "" }, "/home/a", "/home/a/.local/share/trawl"],
  ["darwin", { XDG_DATA_HOME: "/data" }, "/Users/a", "/Users/a/Library/Application Support/Trawl"],
  [
    "win32",
    { LOCALAPPDATA: "C:\\Users\\a\\AppData\\Local" },
    "C:\\Users\\a",
    "C:\\Users\\a\\AppData\\Local\\Trawl",
  ],
  ["win32", {}, "C:\\Users\\a", "C:\\Users\\a\\AppData\\Local\\Trawl"],
];

for (const [platform, environment, home, expected] of directories) {
  test(`data directory on ${platform} with ${JSON.stringify(environment)}`, () => {
    assert.equal(dataDirectoryFor(platform, environment, home), expected);
  });
}

const configFolders: typeof directories = [
  ["linux", {}, "/home/a", "/home/a/.config"],
  ["linux", { XDG_CONFIG_HOME: "/config" }, "/home/a", "/config"],
  ["linux", { XDG_CONFIG_HOME: "relative" }, "/home/a", "/home/a/.config"],
  ["darwin", {}, "/Users/a", "/Users/a/Library/Application Support"],
  ["win32", {}, "C:\\Users\\a", "C:\\Users\\a\\AppData\\Roaming"],
  ["win32", { APPDATA: "D:\\Roaming" }, "C:\\Users\\a", "D:\\Roaming"],
];

for (const [platform, environment, home, expected] of configFolders) {
  test(`folder for configuration on ${platform} with ${JSON.stringify(environment)}`, () => {
    assert.equal(configFolderFor(platform, environment, home), expected);
  });
}

test("children do not inherit variables that would redirect them", () => {
  const environment = {
    PATH: "/bin",
    Path: "C:\\",
    GIT_DIR: "x",
    NODE_OPTIONS: "x",
    HOME: "/h",
    SECRET: "x",
  };
  assert.deepEqual(childEnvironment(environment), { PATH: "/bin", Path: "C:\\", HOME: "/h" });
});

test("colors are enabled only on terminals that support them", () => {
  assert.equal(isColorEnabled(true, {}), true);
  assert.equal(isColorEnabled(false, {}), false);
  assert.equal(isColorEnabled(true, { NO_COLOR: "1" }), false);
  assert.equal(isColorEnabled(true, { TERM: "dumb" }), false);
});

test("an empty home folder does not count, because files would be written to the current folder", (t) => {
  const before = process.env["HOME"];
  t.after(() => {
    process.env["HOME"] = before;
  });
  for (const home of ["", "relative"]) {
    process.env["HOME"] = home;
    assert.ok(isAbsolute(homeFolder()), home);
  }
});

test("a tilde at the start of a path is the home folder", () => {
  assert.equal(expandHome("~/src"), join(homedir(), "src"));
  assert.equal(expandHome("~"), homedir());
  for (const path of ["/a/~/b", "~ann/src", "a~", ""]) assert.equal(expandHome(path), path);
});

test("a log line is JSON, and lines below the level are dropped", () => {
  const lines: string[] = [];
  const log = createLog(
    "warn",
    (line) => lines.push(line),
    () => 0,
  );
  log.info("not this");
  log.warn("this", { count: 2, error: new Error("outer", { cause: new RangeError("inner") }) });
  assert.equal(lines.length, 1);
  const { error, ...rest } = JSON.parse(lines[0] ?? "");
  assert.deepEqual(rest, { time: "1970-01-01T00:00:00.000Z", level: "warn", message: "this", count: 2 });
  assert.equal(error.message, "outer");
  assert.equal(error.cause.message, "inner");
  assert.ok(lines[0]?.endsWith("}\n"));
});

test("a log line can be text, without characters that a terminal executes", (t) => {
  const lines: string[] = [];
  const log = createLog(
    "warn",
    (line) => lines.push(line),
    () => 0,
  );
  setLogFormat("text");
  t.after(() => setLogFormat("json"));
  log.warn("Cannot read \x1b[31mred\n.", { count: 2, name: "a\u202eb" });
  assert.deepEqual(lines, [
    '1970-01-01T00:00:00.000Z WARN Cannot read \u241b[31mred\u240a. count=2 name="a\ufffdb"\n',
  ]);
});
