/** Removes secrets from texts that are logged or stored. The second safeguard: no secret should be in them. */

export interface GitCredentials {
  readonly user: string;
  readonly password: { reveal(): string };
}

/** Replaces the credentials in all encodings, user information in URLs, and the values of headers with credentials. */
export function redact(text: string, credentials?: GitCredentials): string {
  const found = credentials === undefined ? [] : encodings(credentials);
  return found
    .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text)
    .replaceAll(/\/\/[^\s/@]+@/g, "//[secret]@")
    .replaceAll(/\b(authorization|private-token|x-[\w-]*token)(["']?\s*[:=]\s*).+/gi, "$1$2[secret]");
}

function encodings({ user, password }: GitCredentials): readonly string[] {
  const secret = password.reveal();
  const pair = Buffer.from(`${user}:${secret}`);
  return [pair.toString("base64"), pair.toString("base64url"), encodeURIComponent(secret), secret]
    .filter((each) => each !== "")
    .sort((left, right) => right.length - left.length);
}
