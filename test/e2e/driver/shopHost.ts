/**
 * A code host with the private repositories `acme/shop` and `acme/money`: a real Gitea or Gerrit if one can be started
 * here, and else git itself, which serves repositories over HTTP without an API.
 */

import { gerritObstacle, startGerrit } from "#test/support/gerrit";
import { giteaObstacle, startGitea } from "#test/support/gitea";
import { gitServer } from "#test/support/gitServer";
import { repo } from "#test/support/repo";

export interface ShopHost {
  readonly origin: string;
  /** What VS Code lists. */
  readonly brand: string;
  readonly user: string;
  readonly token: string;
  /** Whether VS Code asks for the user. */
  readonly asksForUser: boolean;
  /** The kind of names to mirror, and how a repository is named. */
  readonly scope: string;
  nameOf(path: string): string;
  /** What the row of the host says once `acme/none`, which does not exist, is to be mirrored, and where it says why. */
  readonly missing: { readonly row: RegExp; readonly group?: RegExp; readonly reason: RegExp };
  stop(): Promise<void>;
}

const texts = {
  shop: `
    = main: Price a cart
    cart.go
    | package shop
    |
    | // CartTotal adds up prices.
    | func CartTotal(prices []float64) float64 {
    | 	sum := 0.0
    | 	for _, price := range prices {
    | 		sum += price
    | 	}
    | 	return roundHalfUp(sum)
    | }
    `,
  money: `
    = main: Round prices
    round.go
    | package money
    |
    | // roundHalfUp rounds to cents, half a cent up.
    | func roundHalfUp(amount float64) float64 {
    | 	return math.Floor(amount*100+0.5) / 100
    | }
    `,
};
const names = ["shop", "money"] as const;

const notListed = { row: /^127\.0\.0\.1-\d+, not listed completely/, reason: /^The host found nothing/ };

export async function startShopHost(): Promise<ShopHost> {
  if (giteaObstacle() === undefined) return await onGitea();
  if (gerritObstacle() === undefined) return await onGerrit();
  return await onGit();
}

/** Pushes the repositories. */
function push(user: string, token: string, urlOf: (path: string) => string): void {
  const credentials = [user, token].map(encodeURIComponent).join(":");
  for (const name of names) {
    const url = urlOf(`acme/${name}`).replace("//", `//${credentials}@`);
    repo(texts[name]).git("push", "-q", url, "HEAD:refs/heads/main");
  }
}

async function onGitea(): Promise<ShopHost> {
  const { origin, adminToken: token, call, stop } = await startGitea();
  const user = "admin1";
  await call("POST", "/orgs", { username: "acme" });
  for (const name of names) await call("POST", "/orgs/acme/repos", { name, private: true });
  push(user, token, (path) => `${origin}/${path}.git`);
  return {
    ...{ origin, user, token, stop },
    brand: "Gitea or Forgejo",
    asksForUser: false,
    scope: "Repositories",
    nameOf: (path) => path,
    missing: notListed,
  };
}

async function onGerrit(): Promise<ShopHost> {
  const { origin, call, stop } = await startGerrit();
  const [user, token] = ["admin", "secret"];
  for (const name of names) await call("PUT", `/projects/acme%2F${name}`, { branches: ["main"] });
  push(user, token, (path) => `${origin}/a/${path}`);
  return {
    ...{ origin, user, token, stop },
    brand: "Gerrit",
    asksForUser: true,
    scope: "Projects",
    nameOf: (path) => path,
    missing: notListed,
  };
}

async function onGit(): Promise<ShopHost> {
  const ends: (() => unknown)[] = [];
  const server = await gitServer({ after: (end) => void ends.push(end as () => unknown) });
  const account = { user: "svc", password: "e2e-t0ken" };
  server.credentials = account;
  for (const name of names) server.create(`acme/${name}`, texts[name]);
  return {
    origin: server.origin,
    user: account.user,
    token: account.password,
    brand: "Other Git Server",
    asksForUser: true,
    scope: "Repositories",
    nameOf: (path) => `${path}.git`,
    missing: {
      row: /^127\.0\.0\.1-\d+, 1 failing · 3 repositories$/,
      group: /^Failing, 1/,
      reason: /^acme\/none, .*not found/i,
    },
    stop: async () => {
      for (const end of ends) await end();
    },
  };
}
