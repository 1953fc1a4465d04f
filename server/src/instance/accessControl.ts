/** Wires members, keys, licenses and the audit log. Loads and opens nothing before the first call that needs it. */
import { type Access, createAccess } from "#access/access";
import { type Audit, createAudit } from "#access/audit";
import { AuthThrottle } from "#access/authThrottle";
import { InstalledLicense } from "#access/installedLicense";
import { trustedIssuers } from "#access/licenseIssuers";
import { createAccessTokens, type OAuthSettings } from "#access/oauth";
import {
  createOrganization,
  type Organization,
  type OrganizationOptions as OrganizationParts,
} from "#access/organization";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { OrganizationHandlerOptions } from "#service/createService";

export interface AccessControl {
  readonly access: Access;
  readonly audit: Audit;
  readonly organization: Organization;
  readonly license: InstalledLicense;
  /** Dependencies of the handlers. */
  readonly handlerOptions: OrganizationHandlerOptions;
}

export interface AccessControlOptions extends OrganizationParts {
  /** Public keys whose licenses are accepted, in addition to the build's own key. */
  readonly licenseMakers: readonly string[];
  readonly oauth?: OAuthSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Throws USAGE if an entry of `licenseMakers` is not a public key. */
export function createAccessControl({
  licenseMakers,
  oauth,
  clock,
  log,
  ...parts
}: AccessControlOptions): AccessControl {
  const organization = createOrganization(parts);
  const { store } = organization;
  const license = new InstalledLicense({ store, clock, issuers: trustedIssuers(licenseMakers) });
  const audit = createAudit(organization);
  const tokens =
    oauth &&
    createAccessTokens({
      settings: oauth,
      store,
      seats: async () => (await license.state()).seats,
      clock,
      log,
    });
  const access = createAccess({
    organization,
    license,
    ...(tokens === undefined ? {} : { tokens }),
    authThrottle: new AuthThrottle(clock),
    clock,
    log,
  });
  return {
    access,
    audit,
    organization,
    license,
    handlerOptions: { organization, store, license, audit, clock },
  };
}
