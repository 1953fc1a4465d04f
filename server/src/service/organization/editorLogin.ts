/** Handlers of logins of editors, which get an API key of the member who allows it on a page. */
import { generateApiKey, sha256 } from "#access/apiKeys";
import type { Audit } from "#access/audit";
import type { AuthThrottle } from "#access/authThrottle";
import type { EditorLogins } from "#access/editorLogins";
import type { Organization } from "#access/organization";
import { ServiceError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type { Service } from "#contract/service";
import type { Clock } from "#platform/clock";
import { idOf } from "./actors";
import { editorKeyName } from "./editorKeyName";

export interface EditorLoginOptions {
  readonly organization: Organization;
  readonly editorLogins: EditorLogins;
  readonly authThrottle: AuthThrottle;
  readonly audit: Audit;
  readonly clock: Clock;
}

/** How long the key of an editor is valid. */
const keyMs = 90 * 24 * 60 * 60 * 1000;

export function editorLoginHandlers({
  organization,
  editorLogins,
  authThrottle,
  audit,
  clock,
}: EditorLoginOptions): Pick<Service, "allowEditor" | "connectEditor"> {
  return {
    async allowEditor({ redirectUri, state, codeChallenge, name }, { actor }) {
      // The editor would keep its key after that of the session is revoked.
      if (actor.kind !== "member" || actor.sessionId === undefined || actor.keyId !== undefined) {
        throw new ServiceError(
          "INSUFFICIENT_PERMISSIONS",
          "Only a member who has logged in in a browser, without an API key, can let an editor in.",
        );
      }
      const member = { id: idOf(actor), role: actor.role };
      const code = editorLogins.allow({ member, name: sanitize(name), challenge: codeChallenge });
      const url = new URL(redirectUri);
      url.searchParams.set("code", code);
      url.searchParams.set("state", state);
      return { url: url.href };
    },

    async connectEditor({ code, codeVerifier }, { address = "", signal, source }) {
      const allowed = editorLogins.redeem(code, codeVerifier);
      if (allowed === undefined) {
        await authThrottle.delayRefusal(address, signal);
        throw new ServiceError("NOT_AUTHENTICATED", "The code has expired, or was used. Log in again.");
      }
      const { member, name } = allowed;
      const { apiKeys, members } = await organization.store();
      if ((await members.get(member.id))?.suspendedAt !== undefined)
        throw new ServiceError("NOT_AUTHENTICATED", "You are disabled. Ask an owner of the organization.");
      const now = clock.now();
      const key = generateApiKey();
      const expiresAt = now + keyMs;
      const actor = { kind: "member", ...member } as const;
      const record = await audit.recordBuilder(source === undefined ? { actor } : { actor, source });
      const creation = await apiKeys.create(
        {
          memberId: member.id,
          name: editorKeyName(name, now),
          hash: sha256(key),
          expiresAt,
          isReadOnly: true,
        },
        ({ id }) =>
          record({
            action: "api_key.created",
            targetType: "api_key",
            targetId: id,
            metadata: { editor: name },
          }),
      );
      if (creation.kind !== "created") {
        throw new ServiceError("NOT_AUTHENTICATED", "You are no longer a member of this organization.");
      }
      return { key, expiresAt: new Date(expiresAt).toISOString() };
    },
  };
}
