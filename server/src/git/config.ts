/**
 * Git's configuration files, as far as we ask them: nothing is included from other files and nothing is run.
 *
 * `[remote "origin"] url = x` is the key `remote.origin.url`: section and variable in lower case, subsection as it is.
 */
export type GitConfig = ReadonlyMap<string, readonly string[]>;

/** The last value counts, as git does it; a variable without `=` is `true`. */
export function configValue(config: GitConfig, key: string): string | undefined {
  return config.get(key)?.at(-1);
}

/** Lines that are no configuration are passed over. */
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
      while (continues(raw) && at + 1 < lines.length) raw = `${withoutContinuation(raw)}${lines[++at] ?? ""}`;
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

function continues(raw: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*\\\r?$/.test(raw);
}

function withoutContinuation(raw: string): string {
  return raw.replace(/\\\r?$/, "");
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

/** Quotes group, `\` escapes, `#` and `;` outside quotes begin a comment, blanks at the ends go. */
function parseValue(raw: string): string {
  let value = "";
  let kept = 0;
  let quoted = false;
  for (let at = 0; at < raw.length; at++) {
    const character = raw.charAt(at);
    if (character === "\\") {
      const next = raw.charAt(++at);
      value += escapes[next] ?? next;
      kept = value.length;
    } else if (character === '"') {
      quoted = !quoted;
      kept = value.length;
    } else if (!quoted && (character === "#" || character === ";")) break;
    else if (!quoted && /\s/.test(character)) value += value === "" ? "" : character;
    else {
      value += character;
      kept = value.length;
    }
  }
  return value.slice(0, kept);
}
