/** Everything about people and their access, wired. Nothing is loaded or opened before the first call that needs it. */
import { type Access, createAccess } from "#access/access";
import { type Audit, createAudit } from "#access/audit";
import { InstalledLicense } from "#access/installedLicense";
import { makers } from "#access/makers";
import { accessTokens, type OAuthSettings } from "#access/oauth";
import { createOrganisation, type Organisation, type Person } from "#access/organisation";
import { Refusals } from "#access/refusals";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { OrganisationOptions } from "#service/createService";
import type { Store } from "#store/store";

export interface Admission {
  readonly access: Access;
  readonly audit: Audit;
  readonly organisation: Organisation;
  readonly license: InstalledLicense;
  /** For the handlers. */
  readonly options: OrganisationOptions;
}

export interface AdmissionParts {
  readonly open: () => Promise<Store>;
  readonly person: () => Promise<Person>;
  /** Public keys of makers whose licences count besides that of the build's own. */
  readonly licenseMakers: readonly string[];
  readonly oauth?: OAuthSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Throws USAGE where a maker's key is none. */
export function admission({ open, person, licenseMakers, oauth, clock, log }: AdmissionParts): Admission {
  const organisation = createOrganisation({ open, person });
  const { store } = organisation;
  const license = new InstalledLicense({ store, clock, makers: makers(licenseMakers) });
  const audit = createAudit(organisation);
  const tokens =
    oauth &&
    accessTokens({
      settings: oauth,
      store,
      seats: async () => (await license.state()).seats,
      clock,
      log,
    });
  const access = createAccess({
    store,
    license,
    ...(tokens === undefined ? {} : { tokens }),
    refusals: new Refusals(clock),
    clock,
    log,
  });
  return {
    access,
    audit,
    organisation,
    license,
    options: { organisation, store, license, audit, clock },
  };
}
