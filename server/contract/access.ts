/** Which repositories callers may see: the rules of the configuration, and what they grant to one caller. */
import * as z from "zod";

const names = z.array(z.string().min(1).max(1000)).min(1).max(10_000);

/** A rule of the configuration. It grants repositories; none takes any away. */
export const RepositoryRule = z.strictObject({
  names: names.describe("Globs of the names of the repositories that it grants, in any case."),
  except: names.exactOptional().describe("Globs of the names of repositories that it does not grant."),
  members: names.exactOptional().describe("Email addresses of members who may see them."),
  groups: names.exactOptional().describe("Groups whose members may see them."),
  roles: z
    .array(z.enum(["owner", "member"]))
    .min(1)
    .exactOptional()
    .describe("Roles whose holders may see them. Owners see everything anyway."),
  anonymous: z.boolean().exactOptional().describe("Whether everyone may see them, even without credentials."),
});
export type RepositoryRule = z.output<typeof RepositoryRule>;

export const RepositoryRules = z.array(RepositoryRule).min(1).max(10_000);
export type RepositoryRules = readonly RepositoryRule[];

/** Repositories whose names match one of `names` and none of `except`. Both are globs. */
export interface RepositoryGrant {
  readonly names: readonly string[];
  readonly except?: readonly string[];
}

/**
 * The repositories that a caller may see. Packages are not named: a caller sees those that a visible repository depends
 * on.
 */
export interface RepositoryScope {
  /** Only repositories that each list grants. An empty list grants none. */
  readonly grants: readonly (readonly RepositoryGrant[])[];
  /**
   * Present if connections leave it to their code hosts who sees their repositories: who the caller is there. `email` is
   * absent for callers whom nobody knows, and `logins` are names on hosts, by connection.
   */
  readonly codeHostUser?: {
    readonly email?: string;
    readonly logins: Readonly<Record<string, string>>;
  };
}
