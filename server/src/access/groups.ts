/** The groups of a user, and the roles that follow from them. */
import { type Role, roles } from "#model/organization";

/** Maps the name of a group to the role of its members. */
export type RolesByGroup = Readonly<Record<string, Role>>;

const maxGroups = 1000;
const maxGroupCharacters = 256;

/**
 * Reads a groups claim: an array of names, or one name. Ignores everything else, such as names that are too long or
 * contain control characters. Returns at most 1000 names, sorted; if there are more, those that decide roles come first.
 */
export function parseGroups(claim: unknown, rolesByGroup: RolesByGroup = {}): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const names = new Set(values.filter(isGroupName));
  const deciding = [...names].filter((name) => Object.hasOwn(rolesByGroup, name));
  return [...new Set([...deciding, ...names])].slice(0, maxGroups).sort();
}

function isGroupName(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length > 0 &&
    value.length <= maxGroupCharacters &&
    !/[\p{Cc}\p{Cs}]/u.test(value)
  );
}

/** Returns the highest role that the groups have; undefined if they have none. */
export function roleOfGroups(groups: readonly string[], rolesByGroup: RolesByGroup): Role | undefined {
  const found = groups.map((name) => (Object.hasOwn(rolesByGroup, name) ? rolesByGroup[name] : undefined));
  return roles.find((role) => found.includes(role));
}

/** Whether only members of some groups may log in: those of the groups that are mapped to the role of a member. */
export function isLimitedToGroups(rolesByGroup: RolesByGroup): boolean {
  return Object.values(rolesByGroup).includes("MEMBER");
}
