/** A real OpenID provider on its own port, which issues signed access tokens and lets people log in. */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const audience = "https://search.example.com";

/** A person's claims besides `sub`. */
export type Claims = Readonly<Record<string, unknown>>;

/** The client of an instance that lets people log in. */
export const client = { id: "trawl", secret: "the secret: of %trawl" };

export interface Issuer {
  readonly url: string;
  /** Issues an access token of `person` for `resource`, valid for ten minutes. */
  token(person: string, resource?: string): Promise<string>;
  /** Its published public keys. */
  keys(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Replaces its keys: signs with new ones and publishes only those. */
  rotate(): Promise<void>;
  /** Lets people log in to the instance at `baseUrl`. With `isThin`, only userinfo has the claims of a person. */
  allowLogin(baseUrl: string, options?: { readonly isThin?: boolean }): Promise<void>;
  /** The person at the keyboard, who logs in whenever asked to; `undefined` refuses. */
  person: string | undefined;
  /** Rewrites responses of the token endpoint, as an attacker in its place would. */
  tamper: ((body: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** How often its keys were requested. */
  readonly keyRequests: number;
  close(): Promise<void>;
}

/** Starts an issuer; `people` has the claims of each person by `sub`. */
export async function startIssuer(people: Readonly<Record<string, Claims>>): Promise<Issuer> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end();
  let keyRequests = 0;
  let login: { readonly baseUrl: string; readonly isThin: boolean } | undefined;
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/jwks")) keyRequests++;
    if (issuer.tamper !== undefined && request.url?.startsWith("/token")) tamperWith(response, issuer.tamper);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function rotate(): Promise<void> {
    const { Provider } = await import("oidc-provider");
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const signing = { ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" };
    const provider = new Provider(url, {
      clients: [
        ...Object.keys(people).map((name) => ({
          client_id: name,
          client_secret: `secret of ${name}`,
          grant_types: ["client_credentials"],
          redirect_uris: [],
          response_types: [],
          id_token_signed_response_alg: "ES256" as const,
        })),
        ...(login === undefined ? [] : [loginClient(login.baseUrl)]),
      ],
      claims: { email: ["email", "email_verified"], profile: ["name", "git_login"], groups: ["groups"] },
      scopes: ["openid", "email", "profile", "groups"],
      conformIdTokenClaims: login?.isThin ?? false,
      findAccount: (_context, id) => ({
        accountId: id,
        claims: async () => ({ sub: id, ...people[id] }),
      }),
      // Asks nobody for consent.
      loadExistingGrant: async ({ oidc }) => {
        const { clientId, accountId } = {
          clientId: oidc.client?.clientId,
          accountId: oidc.session?.accountId,
        };
        const grantId = oidc.session?.grantIdFor(clientId ?? "");
        const known = grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId);
        if (known !== undefined) return known;
        const grant = new oidc.provider.Grant({ clientId: clientId ?? "", accountId: accountId ?? "" });
        grant.addOIDCScope("openid email profile groups");
        await grant.save();
        return grant;
      },
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
    const callback = provider.callback();
    answer = (request, response) => {
      if (!request.url?.startsWith("/interaction/")) return void callback(request, response);
      const { person } = issuer;
      const result =
        person === undefined ? { error: "access_denied" } : { login: { accountId: person, remember: true } };
      provider.interactionFinished(request, response, result).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    };
  }

  const issuer: Issuer = {
    url,
    rotate,
    person: undefined,
    tamper: undefined,
    async allowLogin(baseUrl, { isThin = false } = {}) {
      login = { baseUrl, isThin };
      await rotate();
    },
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
  await rotate();
  return issuer;
}

function loginClient(baseUrl: string) {
  return {
    client_id: client.id,
    client_secret: client.secret,
    grant_types: ["authorization_code"],
    response_types: ["code" as const],
    redirect_uris: [`${baseUrl}/login/callback`],
    post_logout_redirect_uris: [`${baseUrl}/logout`],
    id_token_signed_response_alg: "ES256" as const,
  };
}

/** Replaces the JSON body of a response. */
function tamperWith(
  response: ServerResponse,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
) {
  const end = response.end.bind(response) as (body: string) => ServerResponse;
  response.end = ((body: Buffer | string) => {
    const changed = JSON.stringify(change(JSON.parse(String(body)) as Record<string, unknown>));
    response.removeHeader("content-length");
    return end(changed);
  }) as ServerResponse["end"];
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
