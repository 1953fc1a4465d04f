/** A member, as far as it matters to code hosts. */
export interface CodeHostUser {
  /** Email address of the member, or `service:NAME`; absent for callers whom nobody knows. */
  readonly email?: string;
  /** Names on code hosts, by connection, as the OpenID issuer stated them. */
  readonly logins: Readonly<Record<string, string>>;
}
