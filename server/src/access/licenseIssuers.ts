/** The issuers whose licenses are accepted: the one of this build, and those that the operator trusts. */
import { type IssuerKey, parseIssuerKey } from "./license";

/** Defined by the build (`build.mjs`): the issuer's public key, or an empty string. */
declare const LICENSE_MAKER: string;

/**
 * Returns the accepted issuers. `trusted` are public keys from the operator's configuration. Throws USAGE if one is
 * invalid.
 */
export function trustedIssuers(trusted: readonly string[]): IssuerKey[] {
  return [LICENSE_MAKER, ...trusted].filter((key) => key !== "").map(parseIssuerKey);
}
