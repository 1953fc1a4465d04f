/** A server with two small repositories, for tests of tools for agents. */
import { join } from "node:path";
import type { Caller } from "#contract/service";
import { readEndpoint } from "#platform/endpoint";
import { connectRemote } from "#remote/remote";
import { eventually } from "#test/support/eventually";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

export interface AgentServer {
  readonly dataDir: string;
  readonly served: Served;
  readonly shop: TestRepository;
  /** Calls operations as the local user. */
  readonly caller: Caller;
  close(): Promise<void>;
}

const shopText = `
  = main: Start the shop
  src/cart.ts
  | import { round } from "money";
  |
  | /** What a customer wants to buy. */
  | export class Cart {
  |   #items: number[] = [];
  |
  |   addItem(price: number): void {
  |     this.#items.push(price);
  |   }
  |
  |   total(): number {
  |     return round(this.#items.reduce((sum, price) => sum + price, 0));
  |   }
  | }
  tag v1
  = main: Check out
  src/checkout.ts
  | import { Cart } from "./cart";
  |
  | export function checkOut(cart: Cart): number {
  |   return cart.total();
  | }
  docs/hostile.txt
  | red \u001b[31m and reversed \u202e and invisible \u{e0041}
  src/generated.js
  | ${"x = 1; ".repeat(20_000)}needle
  vendor/money => 1234567890123456789012345678901234567890
`;

const moneyText = `
  = main: Round
  round.ts
  | export function round(amount: number): number {
  |   return Math.round(amount);
  | }
  rates.txt
  ${Array.from({ length: 60 }, (_, line) => `| rate of day ${line + 1}`).join("\n  ")}
  ${"long/".repeat(25)}name.txt
  | 1
  currencies.ts
  | export function listCurrencies(): readonly string[] {
  ${"|   //\n  ".repeat(500)}| }
`;

export async function startAgentServer(flags: readonly string[] = []): Promise<AgentServer> {
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  const shop = repo(shopText, {
    path: join(folder, "shop"),
    origin: "https://github.com/acme/shop.git",
  });
  const money = repo(moneyText, {
    path: join(folder, "money"),
    origin: "https://github.com/acme/money.git",
  });
  const served = await serve(dataDir, [shop.path, money.path], { flags });
  await served.ready();
  const endpoint = await eventually(async () => readEndpoint(dataDir));
  const remote = connectRemote(endpoint.socket);
  await eventually(async () => (await served.repositories()).every(({ symbolsReady }) => symbolsReady));
  return {
    dataDir,
    served,
    shop,
    caller: remote.call,
    async close() {
      await remote.close();
      await served.stop();
    },
  };
}
