/** A real OpenID provider on its own port, which issues signed access tokens. */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export const audience = "https://search.example.com";

/** A person's claims besides `sub`. */
export type Claims = Readonly<Record<string, string | boolean>>;

export interface Issuer {
  readonly url: string;
  /** Issues an access token of `person` for `resource`, valid for ten minutes. */
  token(person: string, resource?: string): Promise<string>;
  /** Its published public keys. */
  keys(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Replaces its keys: signs with new ones and publishes only those. */
  rotate(): Promise<void>;
  /** How often its keys were requested. */
  readonly keyRequests: number;
  close(): Promise<void>;
}

/** Starts an issuer; `people` has the claims of each person by `sub`. */
export async function startIssuer(people: Readonly<Record<string, Claims>>): Promise<Issuer> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end();
  let keyRequests = 0;
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/jwks")) keyRequests++;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function rotate(): Promise<void> {
    const { Provider } = await import("oidc-provider");
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const signing = { ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" };
    const provider = new Provider(url, {
      clients: Object.keys(people).map((name) => ({
        client_id: name,
        client_secret: `secret of ${name}`,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: "ES256",
      })),
      jwks: { keys: [signing as never] },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, resource) => ({
            scope: "",
            audience: resource,
            accessTokenFormat: "jwt",
            accessTokenTTL: 600,
            jwt: { sign: { alg: "ES256" } },
          }),
        },
      },
      extraTokenClaims: (_context, token) => ({ ...people[token.clientId ?? ""] }),
    });
    answer = provider.callback();
  }
  await rotate();

  return {
    url,
    rotate,
    get keyRequests() {
      return keyRequests;
    },
    async token(person, resource = audience) {
      const basic = `${encodeURIComponent(person)}:${encodeURIComponent(`secret of ${person}`)}`;
      const response = await fetch(`${url}/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(basic).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "client_credentials", resource }),
      });
      const body = (await response.json()) as { readonly access_token?: string };
      if (body.access_token === undefined) throw new Error(JSON.stringify(body));
      return body.access_token;
    },
    async keys() {
      const response = await fetch(`${url}/jwks`);
      return ((await response.json()) as { readonly keys: Record<string, unknown>[] }).keys;
    },
    close: () => closed(server),
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
