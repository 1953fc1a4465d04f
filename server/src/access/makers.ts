/** Whose licences count: whoever made this build, and whom the operator of an instance trusts besides. */
import { type MakerKey, makerKey } from "./license";

/** Put in by the build (`build.mjs`): the maker's public key, or nothing. */
declare const LICENSE_MAKER: string;

/** `trusted`: public keys from the operator's configuration. Throws USAGE where one is none. */
export function makers(trusted: readonly string[]): MakerKey[] {
  return [LICENSE_MAKER, ...trusted].filter((key) => key !== "").map(makerKey);
}
