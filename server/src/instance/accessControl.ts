/** Wires members, keys, licenses and the audit log. Loads and opens nothing before the first call that needs it. */
import { type Access, createAccess } from "#access/access";
import { type Audit, createAudit } from "#access/audit";
import { AuthThrottle } from "#access/authThrottle";
import type { CodeHostClaims } from "#access/codeHostLogins";
import { EditorLogins } from "#access/editorLogins";
import type { RolesByGroup } from "#access/groups";
import { isLimitedToGroups } from "#access/groups";
import { InstalledLicense } from "#access/installedLicense";
import { createIssuer } from "#access/issuer";
import { trustedIssuers } from "#access/licenseIssuers";
import { createLogin } from "#access/login";
import { createAccessTokens } from "#access/oauth";
import {
  createOrganization,
  type Organization,
  type OrganizationOptions as OrganizationParts,
} from "#access/organization";
import type { RepositoryRules } from "#contract/access";
import type { SecretSource } from "#hosts/connection";
import { readSecret } from "#hosts/secret";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { OrganizationHandlerOptions } from "#service/createService";

export interface AccessControl {
  readonly access: Access;
  readonly audit: Audit;
  readonly organization: Organization;
  readonly license: InstalledLicense;
  readonly authThrottle: AuthThrottle;
  /** Dependencies of the handlers. */
  readonly handlerOptions: OrganizationHandlerOptions;
}

/** The OpenID issuer: `audience` makes this instance accept access tokens, and `clientId` lets users log in. */
export interface OAuthSettings {
  /** As in the `iss` claim: `https://login.example.com`. */
  readonly issuer: string;
  /** The `aud` claim of access tokens for this instance. */
  readonly audience?: string | undefined;
  /** Whether a user whose email address the issuer has verified becomes a member with their first call or login. */
  readonly createsMembers: boolean;
  /** Whether email addresses count as verified unless the issuer says otherwise. */
  readonly trustsEmail?: boolean | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: SecretSource | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Name of the claim that contains the groups of a user. */
  readonly groupsClaim?: string | undefined;
  /** The roles of groups. Absent: logging in does not change roles. */
  readonly roles?: RolesByGroup | undefined;
  /** The claims with the names of a user on code hosts, by connection. */
  readonly codeHostClaims?: CodeHostClaims | undefined;
}

export interface AccessControlOptions extends OrganizationParts {
  /** Public keys whose licenses are accepted, in addition to the build's own key. */
  readonly licenseMakers: readonly string[];
  readonly oauth?: OAuthSettings;
  readonly repositoryRules?: RepositoryRules;
  readonly asksCodeHosts?: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Throws USAGE if an entry of `licenseMakers` is not a public key. */
export function createAccessControl({
  licenseMakers,
  oauth,
  repositoryRules,
  asksCodeHosts,
  clock,
  log,
  ...parts
}: AccessControlOptions): AccessControl {
  const organization = createOrganization(parts);
  const { store } = organization;
  const authThrottle = new AuthThrottle(clock);
  const editorLogins = new EditorLogins(clock);
  const license = new InstalledLicense({ store, clock, issuers: trustedIssuers(licenseMakers) });
  const audit = createAudit(organization);
  const seats = () => license.seats();
  const issuer = oauth && createIssuer(oauth.issuer, { clock, log });
  const { createsMembers = false, trustsEmail = false, audience, clientId } = oauth ?? {};
  // Access tokens do not say in which groups their users are.
  const isLimited = isLimitedToGroups(oauth?.roles ?? {});
  const membership = { store, seats, createsMembers, trustsEmail };
  const tokens =
    issuer && audience !== undefined
      ? createAccessTokens({
          ...membership,
          createsMembers: createsMembers && !isLimited,
          issuer,
          audience,
          clock,
        })
      : undefined;
  const login =
    issuer && oauth && clientId !== undefined
      ? createLogin({
          issuer,
          clientId,
          clientSecret: readerOf(oauth.clientSecret),
          scopes: oauth.scopes ?? defaultScopes,
          groupsClaim: oauth.groupsClaim,
          codeHostClaims: oauth.codeHostClaims,
          trustsEmail,
          clock,
          log,
        })
      : undefined;
  const access = createAccess({
    organization,
    license,
    ...(tokens === undefined ? {} : { tokens }),
    ...(repositoryRules === undefined ? {} : { repositoryRules }),
    ...(asksCodeHosts === undefined ? {} : { asksCodeHosts }),
    authThrottle,
    clock,
    log,
  });
  return {
    access,
    audit,
    organization,
    license,
    authThrottle,
    handlerOptions: {
      organization,
      license,
      audit,
      clock,
      authThrottle,
      editorLogins,
      ...membership,
      login,
      issuer: oauth?.issuer,
      rolesByGroup: oauth?.roles,
    },
  };
}

const defaultScopes = ["email", "profile"];

function readerOf(source: SecretSource | undefined): (() => Promise<string>) | undefined {
  return source && (async () => (await readSecret(source)).reveal());
}
