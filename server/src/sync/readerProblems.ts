/** What keeps the rights of a connection from being current, in words: who sees what meanwhile, and what helps. */
import type { HostProblem } from "#hosts/codeHost";
import type { ConnectionProblem } from "#mirrors/mirrorRecord";

export interface RepositoryProblem {
  /** Path on the host. */
  readonly path: string;
  readonly problem: HostProblem;
  /** Whether the host refuses to name readers; else it has decided nothing. */
  readonly isRefused: boolean;
}

/** `keptUntil`: when what the host said last ends, milliseconds since 1970; `undefined` if it has said nothing. */
export function describeRepositoryProblem(
  { path, problem, isRefused }: RepositoryProblem,
  keptUntil: number | undefined,
): ConnectionProblem {
  const { message, status } = problem;
  const described = isRefused
    ? `The host refuses to say who may read it, so only owners see it: ${message} Check what the token may read.`
    : keptUntil === undefined
      ? `The host has not said yet who may read it, so only owners see it: ${message} It is asked again.`
      : `The host does not say who may read it now: ${message} What it said last stays in force until ${new Date(keptUntil).toISOString()}. It is asked again.`;
  return { scope: path, message: described, ...(status === undefined ? {} : { status }) };
}

export function describeRefusedCredentials({ message, status }: HostProblem): ConnectionProblem {
  const described = `The host refuses the credentials, so only owners see its private repositories: ${message} Renew them.`;
  return { message: described, ...(status === undefined ? {} : { status }) };
}
