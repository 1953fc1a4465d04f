/** A server on which two members see different repositories and, for each of them, a server that has only these. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call, Caller } from "#contract/service";
import { readEndpoint } from "#platform/endpoint";
import { connectRemote } from "#remote/remote";
import { eventually } from "#test/support/eventually";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

/** One way to call a server, with the names of its repositories by id. */
export interface Side {
  readonly caller: Caller;
  readonly call: Pick<Call, "credentials" | "anonymous" | "baseUrl" | "signal">;
  readonly names: ReadonlyMap<number, string>;
}

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
};

export const repositoryNames: readonly string[] = [...Object.keys(texts), "shops", "nothing"].map(
  (name) => `github.com/acme/${name}`,
);

const access = {
  repositories: [
    { names: ["github.com/ACME/shop"], roles: ["member"] },
    { names: ["**/api"], members: ["Ann@Example.com"] },
    { names: ["**"], except: ["**/vault", "**/api"], members: ["bob@example.com"] },
  ],
};
const visible: Readonly<Record<string, readonly string[]>> = {
  "ann@example.com": ["shop", "api"],
  "bob@example.com": ["shop", "secrets"],
};

const { signal } = new AbortController();
const local = { credentials: { kind: "local" }, signal } as const;

export async function startRightsWorld(): Promise<RightsWorld> {
  const folder = temporaryFolder();
  const repositories = Object.entries(texts).map(([name, text]) => {
    const origin = `https://github.com/acme/${name}.git`;
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
    start(Object.keys(texts), { access }),
    ...Object.values(visible).map((names) => start(names, {})),
  ]);
  const viewers = await Promise.all(
    Object.keys(visible).map(async (email, index): Promise<Viewer> => {
      const { id } = await shared.call("addMember", { email }, local);
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
  const token = await keyOf(shared, { repositories: ["github.com/acme/shop"] });
  return {
    viewers,
    places: repositories.flatMap(([name, each]) => placesOf(`github.com/acme/${name}`, each)),
    commits,
    boundedOwner: sideOf(shared, { kind: "apiKey", token }),
    served: shared.served,
    async close() {
      await Promise.all(servers.map((server) => server.close()));
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
  const served = await serve(dataDir, paths, { flags: ["--config", file] });
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
