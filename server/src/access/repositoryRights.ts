/**
 * Decides which repositories a caller may see, from the rules of the configuration and the bounds of an API key, and to
 * whom code hosts have to grant theirs in addition.
 */
import { foldCase } from "#base/foldCase";
import type { RepositoryGrant, RepositoryRule, RepositoryRules, RepositoryScope } from "#contract/access";
import type { ApiKey, Member } from "#model/organization";

/** A known caller. */
export interface Holder {
  readonly member: Member;
  /** Absent if the member did not use a key. */
  readonly key?: ApiKey | undefined;
}

/** What an instance is configured to grant. */
export interface Granting {
  /** Absent: everything. */
  readonly rules?: RepositoryRules | undefined;
  /** Whether connections leave it to their code hosts who sees their repositories. */
  readonly asksCodeHosts: boolean;
}

/** Returns what a caller without credentials sees; `undefined` for everything. */
export function anonymousScope({ rules, asksCodeHosts }: Granting): RepositoryScope | undefined {
  const grants = rules === undefined ? [] : [grantsOf(rules.filter(({ anonymous = false }) => anonymous))];
  return scopeOf(grants, asksCodeHosts ? { logins: {} } : undefined);
}

/** Returns what a member sees; `undefined` for everything. With a key, that is never more than without it. */
export function memberScope(
  { member, key }: Holder,
  { rules, asksCodeHosts }: Granting,
): RepositoryScope | undefined {
  const isLimited = member.role !== "OWNER";
  const byRules =
    isLimited && rules !== undefined ? [grantsOf(rules.filter((rule) => grantsTo(rule, member)))] : [];
  const byKey = key?.repositories === undefined ? [] : [[{ names: key.repositories }]];
  const { email, codeHostLogins: logins } = member;
  return scopeOf([...byRules, ...byKey], isLimited && asksCodeHosts ? { email, logins } : undefined);
}

function scopeOf(
  grants: RepositoryScope["grants"],
  codeHostUser: RepositoryScope["codeHostUser"],
): RepositoryScope | undefined {
  if (codeHostUser !== undefined) return { grants, codeHostUser };
  return grants.length === 0 ? undefined : { grants };
}

/** Whether a key allows less than its member may do. */
export function isBounded(key: ApiKey | undefined): boolean {
  return key?.isReadOnly === true || key?.repositories !== undefined;
}

function grantsOf(rules: RepositoryRules): readonly RepositoryGrant[] {
  return rules.map(({ names, except }) => (except === undefined ? { names } : { names, except }));
}

function grantsTo(
  { anonymous, roles = [], members = [], groups = [] }: RepositoryRule,
  member: Member,
): boolean {
  const email = foldCase(member.email);
  return (
    anonymous === true ||
    (member.role === "MEMBER" && roles.includes("member")) ||
    members.some((each) => foldCase(each) === email) ||
    member.groups.some((group) => groups.includes(group))
  );
}
