/** Removes secrets from texts that people see. */

/** Older secrets are dropped, because some connections get a new token every hour. */
const maxSecrets = 16;

/** Remembers the newest secrets, and removes each form in which one could be printed. */
export class Redactor {
  readonly #formsOf = new Map<string, readonly string[]>();
  /** Longest first, so that a form that contains another one is replaced as a whole. */
  #forms: readonly string[] = [];

  add(secret: string): void {
    const known = this.#formsOf.get(secret);
    // Moves it to the end, where the newest ones are.
    this.#formsOf.delete(secret);
    this.#formsOf.set(secret, known ?? formsOf(secret));
    if (known !== undefined) return;
    const [oldest] = this.#formsOf.keys();
    if (this.#formsOf.size > maxSecrets && oldest !== undefined) this.#formsOf.delete(oldest);
    const forms = new Set([...this.#formsOf.values()].flat());
    this.#forms = [...forms].sort((left, right) => right.length - left.length);
  }

  /** Replaces secrets, ignoring case, because percent-encoding and hosts may change it. */
  redact(text: string): string {
    let redacted = text;
    for (const form of this.#forms) redacted = replaceIgnoringCase(redacted, form);
    return redacted.replace(/\/\/[^\s/@]*@/g, "//");
  }
}

function formsOf(secret: string): readonly string[] {
  const raw = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  const encoded = base64Forms(secret).flatMap((form) => [form, encodeURIComponent(form)]);
  return [...raw, ...encoded];
}

/** Shorter parts could match by chance. */
const minBase64Length = 6;

/**
 * Returns how base64 encodes a secret after any user name: three ways, by the length of what precedes it. Omits the
 * characters at both ends that also depend on what is around it.
 */
function base64Forms(secret: string): readonly string[] {
  const forms = [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor((bytes.length * 8) / 6);
    return [bytes.toString("base64").slice(start, end), bytes.toString("base64url").slice(start, end)];
  });
  return forms.filter((form) => form.length >= minBase64Length);
}

function replaceIgnoringCase(text: string, form: string): string {
  const folded = text.toLowerCase();
  // Few characters change their length when they are folded. None of them is in a secret that is sent in a header.
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
