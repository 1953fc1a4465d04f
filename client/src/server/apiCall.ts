/** REST requests as curl command lines. Pure: does not use VS Code. */

export interface ApiCall {
  readonly method: "GET" | "POST";
  /** Begins with `/api/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Builds a GET request; parameters that are undefined are omitted. */
export function getCall(
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): ApiCall {
  const defined = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return {
    method: "GET",
    path,
    query: Object.fromEntries(defined.map(([name, value]) => [name, `${value}`])),
  };
}

/** Formats a request as a curl command; `address` is a base URL such as `http://127.0.0.1:4878`. */
export function curlLine(address: string, { path, query = {}, body }: ApiCall): string {
  const words = ["curl", "-sS"];
  const parameters = new URLSearchParams(query).toString();
  words.push(shellWord(`${address}${path}${parameters === "" ? "" : `?${parameters}`}`));
  if (body !== undefined) {
    words.push(
      "-H",
      shellWord("Content-Type: application/json"),
      "--data-raw",
      shellWord(JSON.stringify(body)),
    );
  }
  return words.join(" ");
}

/** Quotes any text as one word for a POSIX shell; drops NUL, which a word cannot contain. */
export function shellWord(text: string): string {
  if (/^[\w./:=@%+-]+$/.test(text)) return text;
  return `'${text.replaceAll("\0", "").replaceAll("'", "'\\''")}'`;
}
