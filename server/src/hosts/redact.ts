/** Removes secrets from texts that people see. */

/** Remembers secrets, and removes each form in which one could be printed. */
export class Redactor {
  /** Longest first, so that a form that contains another one is replaced as a whole. */
  #forms: readonly string[] = [];

  /** `users` are the names that are sent together with the secret. */
  add(secret: string, users: readonly string[]): void {
    const encoded = [secret, ...users.map((user) => `${user}:${secret}`), `:${secret}`].flatMap((text) => {
      const base64 = Buffer.from(text).toString("base64");
      return [
        base64,
        base64.replace(/=+$/, ""),
        Buffer.from(text).toString("base64url"),
        encodeURIComponent(base64),
      ];
    });
    const raw = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
    const forms = new Set([...this.#forms, ...raw, ...encoded].filter((form) => form !== ""));
    this.#forms = [...forms].sort((left, right) => right.length - left.length);
  }

  /** Replaces secrets, ignoring case, because percent-encoding and hosts may change it. */
  redact(text: string): string {
    let redacted = text;
    for (const form of this.#forms) redacted = replaceIgnoringCase(redacted, form);
    return redacted.replace(/\/\/[^\s/@]*@/g, "//");
  }
}

function replaceIgnoringCase(text: string, form: string): string {
  const folded = text.toLowerCase();
  // Folding changes the length of few characters, none of which are in a form; their texts are compared exactly.
  if (folded.length !== text.length) return text.replaceAll(form, "[secret]");
  const wanted = form.toLowerCase();
  let result = "";
  let start = 0;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, start)) {
    result += `${text.slice(start, at)}[secret]`;
    start = at + wanted.length;
  }
  return result + text.slice(start);
}
