/** The names of a user on code hosts, which the issuer states in claims. */
import type { JWTPayload } from "jose";

/** Maps the name of a connection to the claim with the name that its host knows the user by. */
export type CodeHostClaims = Readonly<Record<string, string>>;

const maxCharacters = 256;

/**
 * Reads the names of a user, by connection. Ignores claims that are not a name, such as those that are too long or
 * contain whitespace, slashes or control characters.
 */
export function parseCodeHostLogins(
  claims: JWTPayload,
  claimsByConnection: CodeHostClaims = {},
): Readonly<Record<string, string>> {
  const found = Object.entries(claimsByConnection).flatMap(([connection, claim]) => {
    const value: unknown = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    return isLogin(value) ? [[connection, value] as const] : [];
  });
  return Object.fromEntries(found.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function isLogin(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length > 0 &&
    value.length <= maxCharacters &&
    // They would change the path of a URL.
    !/^\.{1,2}$/.test(value) &&
    !/[\p{Cc}\p{Cs}\s/\\]/u.test(value)
  );
}
