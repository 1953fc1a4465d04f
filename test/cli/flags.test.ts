import assert from "node:assert/strict";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { type Flag, readFlags } from "#cli/flags";

const known: readonly Flag[] = [
  { name: "port", value: "N", description: "" },
  { name: "json", short: "j", description: "" },
  { name: "regex", short: "e", description: "" },
  { name: "matches", short: "m", value: "N", description: "" },
  { name: "allowed-host", value: "H", isRepeatable: true, description: "" },
];

/** Returns flags and positional arguments as one line, or the error message. */
function read(line: string): string {
  try {
    const flags = readFlags(line === "" ? [] : line.split(" "), known, (arg) => /^-[a-z]+:/.test(arg));
    const given = known.flatMap((flag) => {
      const texts = flags.texts(flag.name);
      return texts === undefined ? [] : [`${flag.name}=${texts.join("+")}`];
    });
    return [...given, ...flags.positionals.map((word) => `[${word}]`)].join(" ");
  } catch (error) {
    assert(isServiceError(error, "USAGE"));
    return error.message;
  }
}

const cases: Record<string, string> = {
  "": "",
  "a b": "[a] [b]",
  "--port 80 a": "port=80 [a]",
  "--port=80 a": "port=80 [a]",
  "a --json b": "json= [a] [b]",
  "-j a": "json= [a]",
  "-je a": "json= regex= [a]",
  "-m5 a": "matches=5 [a]",
  "-m 5 a": "matches=5 [a]",
  "--allowed-host a --allowed-host=b": "allowed-host=a+b",
  "a -file:x": "[a] [-file:x]",
  "-- --json": "[--json]",
  "a -- -file:x -- b": "[a] [-file:x] [--] [b]",
  "-": "[-]",
  "--prot 80": "Unknown flag --prot. Did you mean --port?",
  "--elephant": "Unknown flag --elephant.",
  "-x": "Unknown flag -x.",
  "--port": "--port requires a value: N.",
  "--port=": "--port requires a value: N.",
  "--port --json": '--port requires a value: N. For the value "--json", write --port=--json.',
  "--port 1 --port 2": "--port is given more than once.",
  "--json=yes": '--json takes no value, but got "yes".',
};

for (const [line, result] of Object.entries(cases)) {
  test(`flags: ${line}`, () => assert.equal(read(line), result));
}

test("an integer flag must be a whole number within its bounds", () => {
  const port = (text: string) => readFlags([`--port=${text}`], known).integer("port", 0, 65_535);
  assert.equal(port("0"), 0);
  assert.equal(port("65535"), 65_535);
  for (const wrong of ["65536", "-1", "1.5", "0x10", "1e3", "x", " 1", "99999999999999999999"]) {
    assert.throws(() => port(wrong), /--port must be a whole number from 0 to 65535/);
  }
});
