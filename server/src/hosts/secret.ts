/** Tokens and passwords, which print as `[secret]` unless they are asked for. */
import { readFile, stat } from "node:fs/promises";
import { inspect } from "node:util";
import { usageError } from "#base/error";
import { environmentVariable } from "#platform/environment";

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the secret itself. Its result must not reach a log, an error, an argument or a file. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}

const maxSecretBytes = 64 * 1024;

/**
 * Reads a secret from an environment variable or a file, without whitespace at its end. Reads anew with each call, so
 * that a replaced file counts without a restart.
 *
 * Rejects with USAGE if it is missing, empty, too large, or contains control characters.
 */
export async function readSecret(source: Source): Promise<Secret> {
  const { name, secret } = await readText(source);
  if (/\p{Cc}/u.test(secret)) {
    throw usageError(`${name} contains a line break or another control character within the secret.`);
  }
  return new Secret(secret);
}

/** Like `readSecret`, for secrets with lines. In an environment variable, a backslash and an `n` may stand for each line break. */
export async function readMultilineSecret(source: Source): Promise<Secret> {
  const { secret } = await readText(source);
  return new Secret(source.env === undefined ? secret : secret.replaceAll("\\n", "\n"));
}

interface Source {
  readonly env?: string | undefined;
  readonly file?: string | undefined;
}

async function readText(source: Source): Promise<{ readonly name: string; readonly secret: string }> {
  const [name, value] =
    source.file === undefined
      ? [`The environment variable ${source.env}`, environmentVariable(source.env ?? "")]
      : [`The file ${source.file}`, await readSecretFile(source.file)];
  if (value === undefined) throw usageError(`${name} is not set.`);
  const secret = value.trimEnd();
  if (secret === "") throw usageError(`${name} is empty, but must contain a secret.`);
  return { name, secret };
}

async function readSecretFile(file: string): Promise<string> {
  try {
    const about = await stat(file);
    // Reading a named pipe could wait forever.
    if (about.isFile() && about.size <= maxSecretBytes) return await readFile(file, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw usageError(`Cannot read the secret in ${file}: ${reason}.`);
  }
  throw usageError(
    `${file} is not a file of at most ${maxSecretBytes / 1024} KiB, so it contains no secret.`,
  );
}
