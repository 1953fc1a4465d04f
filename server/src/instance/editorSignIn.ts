/** The operation with which editors lend the tokens that they keep. */
import { ServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { Service } from "#contract/service";
import type { EditorTokens } from "#hosts/editorTokens";
import { Secret } from "#hosts/secret";

export function editorSignIn(editorTokens: EditorTokens): Pick<Service, "holdCodeHostTokens"> {
  return {
    async holdCodeHostTokens({ tokens }, { signal, emit }) {
      const unusable = tokens.find(({ token }) => token === "" || /\p{Cc}/u.test(token));
      if (unusable !== undefined)
        throw new ServiceError(
          "INVALID_REQUEST_BODY",
          `The token "${unusable.name}" is empty, or contains a line break or another control character.`,
        );
      const release = editorTokens.hold(
        tokens.map(({ name, origin, token }) => ({ name, origin, token: new Secret(token) })),
      );
      try {
        await emit?.({ held: tokens.length });
        return await untilAborted(new Promise<never>(() => undefined), signal);
      } finally {
        release();
      }
    },
  };
}
