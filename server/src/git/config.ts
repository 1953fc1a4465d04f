/**
 * The values of each variable in a git configuration file, in file order.
 *
 * `[remote "origin"] url = x` has the key `remote.origin.url`, with section and variable in lower case.
 */
export type GitConfig = ReadonlyMap<string, readonly string[]>;

/** Returns the last value of a variable, as git does. A variable without `=` has the value `true`. */
export function configValue(config: GitConfig, key: string): string | undefined {
  return config.get(key)?.at(-1);
}

/** Parses a git configuration file. Ignores malformed lines, and does not read included files. */
export function parseConfig(text: string): GitConfig {
  const values = new Map<string, string[]>();
  let section = "";
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  for (let at = 0; at < lines.length; at++) {
    let rest = (lines[at] ?? "").trimStart();
    const head = sectionHead.exec(rest);
    if (head) {
      section = sectionName(head[1] ?? "", head[2]);
      rest = rest.slice(head[0].length).trimStart();
    }
    const variable = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:(=)(.*))?/s.exec(rest);
    if (!variable || section === "") continue;
    let value = "true";
    if (variable[2] === "=") {
      let raw = variable[3] ?? "";
      while (isContinued(raw) && at + 1 < lines.length)
        raw = `${withoutContinuation(raw)}${lines[++at] ?? ""}`;
      value = parseValue(raw);
    }
    const key = `${section}.${(variable[1] ?? "").toLowerCase()}`;
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return values;
}

const sectionHead = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;

function sectionName(name: string, subsection: string | undefined): string {
  if (subsection === undefined) return name.toLowerCase();
  return `${name.toLowerCase()}.${subsection.replace(/\\(.)/g, "$1")}`;
}

function isContinued(raw: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*\\\r?$/.test(raw);
}

function withoutContinuation(raw: string): string {
  return raw.replace(/\\\r?$/, "");
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

/** Handles quotes, `\` escapes and comments (`#` and `;` outside quotes), and trims whitespace. */
function parseValue(raw: string): string {
  let value = "";
  let trimmedLength = 0;
  let quoted = false;
  for (let at = 0; at < raw.length; at++) {
    const character = raw.charAt(at);
    if (character === "\\") {
      const next = raw.charAt(++at);
      value += escapes[next] ?? next;
      trimmedLength = value.length;
    } else if (character === '"') {
      quoted = !quoted;
      trimmedLength = value.length;
    } else if (!quoted && (character === "#" || character === ";")) break;
    else if (!quoted && /\s/.test(character)) value += value === "" ? "" : character;
    else {
      value += character;
      trimmedLength = value.length;
    }
  }
  return value.slice(0, trimmedLength);
}
