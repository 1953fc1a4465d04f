/** A running instance with everything the OpenAPI examples name: repositories, members, a key, a license. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repo } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";
import { eventually } from "./eventually";
import { licenseKeys, licenseOf } from "./organization";

export interface ExampleOrganization extends Served {
  /** An API key of the owner. */
  readonly key: string;
}

/** Starts an instance that stores everything in the empty `folder`. Resolves when text and definitions are indexed. */
export async function startExampleOrganization(folder: string): Promise<ExampleOrganization> {
  for (const name of ["shop", "web"]) {
    repo(
      `
      = main: Add a cart
      src/cart.ts
      | export interface Item {
      |   readonly name: string;
      | }
      |
      | /** Adds an item. */
      | export function addItem(items: Item[], item: Item): void {
      |   items.push(item);
      | }
      src/main.ts
      | import { addItem } from "./cart";
      |
      | addItem([], { name: "tea" });
      README.md
      | # ${name}
      logo.png [hex]
      | 89 50 4e 47 00 ff
      tag v1.0: The first
      = feature from main: Pay
      src/pay.py
      | def pay(amount):
      |     return amount
      = main: fix: describe the cart
      README.md
      | # ${name}
      | A cart.
      = main merge feature: Merge the payment
      `,
      { path: join(folder, "src", name), origin: `https://github.com/acme/${name}.git` },
    );
  }
  const [dataDir, config, license] = [
    join(folder, "data"),
    join(folder, "trawl.jsonc"),
    join(folder, "license"),
  ];
  writeFileSync(config, JSON.stringify({ licenseMakers: [licenseKeys.publicKey] }), { mode: 0o600 });
  writeFileSync(license, licenseOf());
  const flags = ["--config", config, "--data-dir", dataDir];
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await trawl([...args, ...flags]);
    if (code !== 0) throw new Error(`trawl ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  await run("license", "install", license);
  await run("members", "add", "ann@example.com");
  const key = JSON.parse(await run("keys", "create", "example", "--json")).key as string;
  const served = await serve(dataDir, [join(folder, "src")], {
    flags: ["--config", config, "--anonymous", "on"],
  });
  await served.ready();
  await eventually(async () => (await served.repositories()).every(({ symbolsReady }) => symbolsReady));
  return { ...served, key };
}
