/**
 * A server on which two members and a service account see different repositories and, for each of them, a server that has
 * only these. A code host decides who sees one of the repositories.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call, Caller } from "#contract/service";
import { readEndpoint } from "#platform/endpoint";
import { connectRemote } from "#remote/remote";
import { dialectOf } from "#test/hosts/dialects";
import { FakeHost } from "#test/hosts/fakeHost";
import { eventually } from "#test/support/eventually";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

/** One way to call a server, with the names of its repositories by id. */
export interface Side {
  readonly caller: Caller;
  readonly call: Pick<Call, "credentials" | "anonymous" | "baseUrl" | "signal">;
  readonly names: ReadonlyMap<number, string>;
}

/** The token of the code host. */
const token = "c4nary-t0ken";
const tokenVariable = "TRAWL_TEST_RIGHTS_TOKEN";

/** A word in a file of a repository, at a revision. */
export interface Place {
  readonly repo: string;
  readonly path: string;
  /** A branch or a commit. */
  readonly ref: string;
  readonly lineNumber: number;
  readonly column: number;
  readonly word: string;
}

/** A member on the shared server, and everyone on a server that has only what the member sees. */
export interface Viewer {
  readonly name: string;
  readonly limited: Side;
  readonly reference: Side;
}

export interface RightsWorld {
  readonly viewers: readonly Viewer[];
  /** Names of all repositories, visible or not, and some of none. */
  readonly names: readonly string[];
  /** Words in files of all repositories, visible or not. */
  readonly places: readonly Place[];
  /** Commits of all repositories. */
  readonly commits: readonly string[];
  /** A call on the shared server as its owner, through a key that is limited to the repository `shop`. */
  readonly boundedOwner: Side;
  readonly served: Served;
  close(): Promise<void>;
}

const texts: Readonly<Record<string, string>> = {
  shop: `
    = main: Start the shop
    src/cart.ts
    | import { round } from "money";
    |
    | export class Cart {
    |   total(): number {
    |     return round(1);
    |   }
    | }
    docs/guide.md
    | rotate the total now and then
    .gitignore
    | node_modules
    tag v1
    = main: Check out
    src/checkout.ts
    | import { Cart } from "./cart";
    | export function checkOut(cart: Cart): number {
    |   return cart.total();
    | }
    = next from main: Try
    src/next.ts
    | export const total = 2;
  `,
  api: `
    = main: Start the interface
    api/server.ts
    | export class Server {
    |   total(): number {
    |     return 3;
    |   }
    | }
    | export function rotate(server: Server): number {
    |   return server.total();
    | }
    blob.bin [hex]
    | 00 ff 00
    = main: Rotate
    api/rotate.py
    | def rotate(total):
    |     return total
  `,
  secrets: `
    = main: Hide the total
    keys/rotate.ts
    | import { Cart } from "shop";
    | export class Vault extends Cart {
    |   total(): number {
    |     return rotateSecretly();
    |   }
    | }
    | export function rotateSecretly(): number { return new Cart().total(); }
    keys/key.bin [hex]
    | 00 ff 00
    .gitignore
    | node_modules
    = hidden from main: Hide more
    hidden.ts
    | export const total = "hiddenWord";
    tag v9
  `,
  vault: `
    = main: Close the vault
    vault.rs
    | pub fn total() -> i32 { rotate() }
    | fn rotate() -> i32 { 4 }
    src/cart.ts
    | import { round } from "money";
    | export class Cart { total(): number { return round(5); } }
    = secret from main: Secret
    secret.rs
    | pub fn total_secret() {}
  `,
  ledger: `
    = main: Open the ledger
    books/ledger.ts
    | import { round } from "money";
    | export class Ledger { total(): number { return round(7); } }
    | export function rotate(ledger: Ledger): number { return ledger.total(); }
    books/key.bin [hex]
    | 00 ff 00
    = closed from main: Close the ledger
    books/closed.ts
    | export const total = "ledgerWord";
    tag v7
  `,
};

const access = {
  repositories: [
    { names: ["github.com/ACME/shop"], roles: ["member"] },
    { names: ["**/api"], members: ["Ann@Example.com"] },
    { names: ["**"], except: ["**/vault", "**/api"], members: ["bob@example.com"] },
    // The code host does not let Ann see the ledger.
    { names: ["**/ledger"], members: ["ann@example.com"], groups: ["accounting"] },
  ],
};
const visible: Readonly<Record<string, readonly string[]>> = {
  "ann@example.com": ["shop", "api"],
  "bob@example.com": ["shop", "secrets", "ledger"],
  "service:robot": ["shop", "ledger"],
};
const logins = { "ann@example.com": "ann-a", "Bob@example.com": "bob-b", "service:robot": "robot" };

const { signal } = new AbortController();
const local = { credentials: { kind: "local" }, signal } as const;

/** Starts the code host of the ledger, which is private there. */
async function startCodeHost(): Promise<FakeHost> {
  const ledger = {
    id: 7,
    path: "acme/ledger",
    isPrivate: true,
    readers: ["bob-b", "Robot"],
    guests: ["ann-a"],
  };
  const host = await new FakeHost(dialectOf("github"), [ledger]).start();
  host.token = token;
  return host;
}

function connectionTo({ url }: FakeHost): object {
  return {
    type: "github",
    url,
    allowHttp: true,
    token: { env: tokenVariable },
    include: { orgs: ["acme"] },
    access: { visibleTo: "codeHost", logins },
  };
}

export async function startRightsWorld(): Promise<RightsWorld> {
  const folder = temporaryFolder();
  const codeHost = await startCodeHost();
  const nameOf = (name: string) =>
    `${name === "ledger" ? new URL(codeHost.url).host : "github.com"}/acme/${name}`;
  const repositories = Object.entries(texts).map(([name, text]) => {
    const origin = `${name === "ledger" ? codeHost.url : "https://github.com"}/acme/${name}.git`;
    return [name, repo(text, { path: join(folder, name), origin })] as const;
  });
  for (const [name, each] of repositories) {
    const installed = { shop: "money", secrets: "mystery" }[name];
    if (installed === undefined) continue;
    const packages = { [`node_modules/${installed}`]: { version: "1.0.0" } };
    each.write("package-lock.json", JSON.stringify({ lockfileVersion: 3, packages }));
    each.write(
      `node_modules/${installed}/package.json`,
      JSON.stringify({ name: installed, version: "1.0.0" }),
    );
    each.write(
      `node_modules/${installed}/index.ts`,
      "export function round(total: number): number { return total; }\n",
    );
  }
  const commits = repositories.flatMap(([, each]) => each.git("rev-list", "--all").split("\n"));
  const servers: Server[] = [];
  const start = async (names: readonly string[], settings: object) => {
    const paths = repositories.filter(([name]) => names.includes(name)).map(([, { path }]) => path);
    const server = await startServer(paths, settings);
    servers.push(server);
    return server;
  };
  const [shared, ...references] = await Promise.all([
    start(Object.keys(texts), { access, connections: { work: connectionTo(codeHost) } }),
    ...Object.values(visible).map((names) => start(names, {})),
  ]);
  const viewers = await Promise.all(
    Object.keys(visible).map(async (email, index): Promise<Viewer> => {
      const service = /^service:(.*)/.exec(email)?.[1];
      const { id } =
        service === undefined
          ? await shared.call("addMember", { email }, local)
          : await shared.call("addService", { service, groups: ["accounting"] }, local);
      const token = await keyOf(shared, { userId: id });
      const reference = references[index];
      if (reference === undefined) throw new Error(`There is no server for ${email}.`);
      return {
        name: email,
        limited: sideOf(shared, { kind: "apiKey", token }),
        reference: sideOf(reference, { kind: "none" }),
      };
    }),
  );
  await eventually(async () => {
    const seen = await Promise.all(
      viewers.map(async ({ limited: { caller, call } }) => (await caller("repos", {}, call)).items.length),
    );
    return (
      seen.join() ===
      Object.values(visible)
        .map((names) => names.length)
        .join()
    );
  });
  const boundedKey = await keyOf(shared, { repositories: ["github.com/acme/shop"] });
  return {
    viewers,
    names: [...Object.keys(texts), "shops", "nothing"].map(nameOf),
    places: repositories.flatMap(([name, each]) => placesOf(nameOf(name), each)),
    commits,
    boundedOwner: sideOf(shared, { kind: "apiKey", token: boundedKey }),
    served: shared.served,
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await codeHost.close();
    },
  };
}

function placesOf(name: string, { git }: TestRepository): Place[] {
  const branches = git("for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");
  const refs = branches.flatMap((branch) => [branch, git("rev-parse", branch)]);
  return refs.flatMap((ref) =>
    git("ls-tree", "-r", "--name-only", ref)
      .split("\n")
      .filter((path) => !path.endsWith(".bin"))
      .flatMap((path) =>
        git("show", `${ref}:${path}`)
          .split("\n")
          .flatMap((line, index) =>
            [...line.matchAll(/\w{4,}/g)].map((found) => ({
              repo: name,
              path,
              ref,
              lineNumber: index + 1,
              column: found.index + 1,
              word: found[0],
            })),
          ),
      ),
  );
}

function sideOf({ call, names }: Server, credentials: Call["credentials"]): Side {
  return { caller: call, call: { credentials, anonymous: "on", baseUrl: "http://search", signal }, names };
}

async function keyOf({ call }: Server, request: object): Promise<string> {
  const { key } = await call("createKey", { name: "test", ...request }, local);
  return key;
}

interface Server {
  readonly served: Served;
  readonly call: Caller;
  readonly names: ReadonlyMap<number, string>;
  close(): Promise<void>;
}

/** Starts a server, and waits until it is idle. One search worker finds matches in the same order on every server. */
async function startServer(paths: readonly string[], settings: object): Promise<Server> {
  const dataDir = temporaryFolder();
  const file = join(temporaryFolder(), "trawl.json");
  writeFileSync(file, JSON.stringify({ searchWorkers: 1, indexWorkers: 1, ...settings }), { mode: 0o600 });
  const env = { [tokenVariable]: token };
  const served = await serve(dataDir, paths, { flags: ["--config", file], env });
  await served.ready();
  const { socket } = await eventually(async () => readEndpoint(dataDir));
  const remote = connectRemote(socket);
  const list = async () => (await remote.call("repos", { perPage: 100, dependencies: "yes" }, local)).items;
  const items = await eventually(async () => {
    const found = await list();
    const packageCount = found.filter(({ repoName }) => repoName.startsWith("npm/")).length;
    const isIndexed = found.every(({ state, symbolsReady }) => state === "ready" && symbolsReady);
    const hasPackages = found.every(({ dependencyCount = 0 }) => dependencyCount === 0 || packageCount > 0);
    return isIndexed && hasPackages && packageCount > 0 ? found : undefined;
  }, 120_000);
  return {
    served,
    call: remote.call,
    names: new Map(items.map(({ repoId, repoName }) => [repoId, repoName])),
    async close() {
      await remote.close();
      await served.stop();
    },
  };
}
