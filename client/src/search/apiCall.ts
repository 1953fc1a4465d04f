/** Calls of the REST interface as lines for a terminal. Pure: knows no VS Code. */

export interface ApiCall {
  readonly method: "GET" | "POST";
  /** Begins with `/api/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What is not given is left out. */
export function getCall(
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): ApiCall {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return {
    method: "GET",
    path,
    query: Object.fromEntries(given.map(([name, value]) => [name, `${value}`])),
  };
}

/** `address`: where the interface answers, as in `http://127.0.0.1:4878`. */
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

/** One word for a POSIX shell, whatever stands in it; a NUL it could not hold. */
export function shellWord(text: string): string {
  if (/^[\w./:=@%+-]+$/.test(text)) return text;
  return `'${text.replaceAll("\0", "").replaceAll("'", "'\\''")}'`;
}
