/** Decides which repositories a caller may see, from the rules of the configuration and the bounds of an API key. */
import type { RepositoryGrant, RepositoryRule, RepositoryRules, RepositoryScope } from "#contract/access";
import type { ApiKey, Member } from "#model/organization";

/** A known caller. */
export interface Holder {
  readonly member: Member;
  /** Absent if the member did not use a key. */
  readonly key?: ApiKey | undefined;
}

/** Returns what a caller without credentials sees; `undefined` for everything. */
export function anonymousScope(rules: RepositoryRules | undefined): RepositoryScope | undefined {
  return rules && [grantsOf(rules.filter(({ anonymous = false }) => anonymous))];
}

/** Returns what a member sees; `undefined` for everything. With a key, that is never more than without it. */
export function memberScope(
  { member, key }: Holder,
  rules: RepositoryRules | undefined,
): RepositoryScope | undefined {
  const isLimited = rules !== undefined && member.role !== "OWNER";
  const byRules = isLimited ? [grantsOf(rules.filter((rule) => grantsTo(rule, member)))] : [];
  const byKey = key?.repositories === undefined ? [] : [[{ names: key.repositories }]];
  const scope = [...byRules, ...byKey];
  return scope.length === 0 ? undefined : scope;
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
  const email = folded(member.email);
  return (
    anonymous === true ||
    (member.role === "MEMBER" && roles.includes("member")) ||
    members.some((each) => folded(each) === email) ||
    member.groups.some((group) => groups.includes(group))
  );
}

/** Email addresses that differ only in case belong to the same member. */
function folded(email: string): string {
  return email.normalize("NFC").toLowerCase();
}
