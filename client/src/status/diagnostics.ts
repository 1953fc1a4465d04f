/** Diagnostics for bug reports: versions, settings, state and errors, without secrets or user names. Pure. */

export interface Diagnostics {
  readonly versions: Readonly<Record<string, string>>;
  /** Settings that differ from their defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Facts about the server instance; absent without a server. */
  readonly instance: Readonly<Record<string, unknown>> | undefined;
  /** State of the server, with the reason for a failure. */
  readonly server: string;
  readonly errors: readonly string[];
  /** The user's home folder, which is replaced with `~`. */
  readonly home: string;
}

/** Returns Markdown to paste into a report. */
export function diagnosticsText({ versions, settings, instance, server, errors, home }: Diagnostics): string {
  const table = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).map(
      ([name, value]) => `- ${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
  const section = (title: string, lines: readonly string[]) => [
    `### ${title}`,
    "",
    ...(lines.length === 0 ? ["None."] : lines),
    "",
  ];
  const text = [
    "## Trawl diagnostics",
    "",
    ...section("Versions", table(versions)),
    ...section("Settings that differ from their defaults", table(settings)),
    ...section("Server", [`- state: ${server}`, ...table(instance ?? {})]),
    ...section("Last errors", errors.length === 0 ? [] : ["```", ...errors.map(inFence), "```"]),
  ].join("\n");
  return redacted(text, home);
}

/** Keeps a line from closing its code block. */
function inFence(line: string): string {
  return line.replaceAll("```", "'''");
}

/** Removes the home folder, and credentials in URLs and headers. */
export function redacted(text: string, home: string): string {
  const homes = [home, home.replaceAll("\\", "\\\\"), home.replaceAll("\\", "/")];
  const withoutHome = homes
    .filter((each) => each.length > 1)
    .reduce((rest, each) => rest.replaceAll(each, "~"), text);
  return withoutCredentials(withoutHome)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1***@")
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, "$1 ***")
    .replace(
      /\b((?:access|api|auth|private)?[_-]?(?:token|key|secret|password))(["']?\s*[=:]\s*["']?)[^\s"'&,;]{4,}/gi,
      "$1$2***",
    )
    .replace(/\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,})/g, "***");
}

/** Removes Trawl's API keys, licenses and other signed tokens, and the tokens of code hosts in traced messages. */
export function withoutCredentials(text: string): string {
  return text
    .replace(/("token": ?)"(?:[^"\\]|\\.)*"/g, '$1"***"')
    .replace(/\btrwl_[\w-]{43}|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+/g, "***");
}
