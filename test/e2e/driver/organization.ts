/**
 * A small organization: repositories in several languages that reference each other's names, with branches and tags.
 * One of them is bare, and one has a second clone. Every run creates the same commits, including their hashes.
 */
import { join } from "node:path";
import { type RepoOptions, repo, runGit, type TestRepository } from "#test/support/repo";

const texts = {
  "go-kit": `
    = main: Add a way to try again
    go.mod
    | module git.example.com/acme/go-kit
    |
    | go 1.24
    retry/retry.go
    | // Package retry tries again what may fail for a moment.
    | package retry
    |
    | import (
    | 	"context"
    | 	"time"
    | )
    |
    | // retryWithBackoff calls work until it succeeds, waiting longer each time.
    | func retryWithBackoff(ctx context.Context, work func(context.Context) error) error {
    | 	wait := 50 * time.Millisecond
    | 	for {
    | 		err := work(ctx)
    | 		if err == nil {
    | 			return nil
    | 		}
    | 		select {
    | 		case <-ctx.Done():
    | 			return ctx.Err()
    | 		case <-time.After(wait):
    | 			wait *= 2
    | 		}
    | 	}
    | }
    retry/retry_test.go
    | package retry
    |
    | import "testing"
    |
    | func TestRetryWithBackoff(t *testing.T) {
    | 	t.Log("retryWithBackoff gives up when its context ends")
    | }
    tag v1.0.0
    = main: Name the longest wait
    retry/limits.go
    | package retry
    |
    | import "time"
    |
    | // MaxWait is the longest that retryWithBackoff waits between two tries.
    | const MaxWait = 30 * time.Second
    tag v1.1.0
  `,
  "orders-api": `
    = main: Take orders
    README.md
    | # orders-api
    |
    | Takes orders and hands them to payments. ORDER_TIMEOUT_MS says how long it waits.
    go.mod
    | module git.example.com/acme/orders-api
    internal/http/client.go
    | package http
    |
    | import "context"
    |
    | // Client talks to payments.
    | type Client struct {
    | 	address string
    | }
    |
    | func (c *Client) do(ctx context.Context) error {
    | 	return retryWithBackoff(ctx, c.once)
    | }
    |
    | func (c *Client) once(ctx context.Context) error {
    | 	return nil
    | }
    internal/orders/orders.go
    | package orders
    |
    | // Order is what a customer wants.
    | type Order struct {
    | 	ID     string
    | 	Amount int64
    | }
    |
    | // PlaceOrder checks an order and asks payments to charge for it.
    | func PlaceOrder(order Order) error {
    | 	return nil
    | }
    tag v1.0.0
    = main: Wait no longer than is bearable
    config/default.yaml
    | http:
    |   port: 8080
    | ORDER_TIMEOUT_MS: 2500
    tag v2.0.0
    = feature/async-orders from main: Answer before the order is charged
    internal/orders/async.go
    | package orders
    |
    | // EnqueueOrder hands an order over and answers at once.
    | func EnqueueOrder(order Order) {}
  `,
  payments: `
    = main: Charge
    package.json
    | { "name": "payments", "private": true }
    src/charge.ts
    | import { retryWithBackoff } from "./retry";
    |
    | export interface Charge {
    |   readonly orderId: string;
    |   readonly amount: number;
    | }
    |
    | /** Charges a card; tries again while the bank does not answer. */
    | export async function chargeCard(charge: Charge): Promise<void> {
    |   await retryWithBackoff(() => send(charge), 5);
    | }
    |
    | async function send(charge: Charge): Promise<void> {
    |   if (charge.amount < 0) throw new Error("An amount cannot be negative.");
    | }
    src/retry.ts
    | /** Tries again, waiting twice as long each time. */
    | export async function retryWithBackoff<T>(work: () => Promise<T>, tries: number): Promise<T> {
    |   for (let wait = 50; ; wait *= 2) {
    |     try {
    |       return await work();
    |     } catch (error) {
    |       if (--tries === 0) throw error;
    |       await new Promise((resolve) => setTimeout(resolve, wait));
    |     }
    |   }
    | }
    src/retry.test.ts
    | import { retryWithBackoff } from "./retry";
    |
    | test("gives up after some tries", () => retryWithBackoff(async () => 1, 3));
    tag v3.2.0
  `,
  "web-shop": `
    = main: Sell
    src/Cart.tsx
    | import { chargeCard } from "payments";
    |
    | export function Cart({ orderId }: { orderId: string }) {
    |   return <button onClick={() => chargeCard({ orderId, amount: 100 })}>Buy</button>;
    | }
    src/Legacy.js
    | // TODO: remove once retryWithBackoff is everywhere.
    | export const timeoutMs = 2500;
    tag 2026.1
  `,
  billing: `
    = main: Bill
    src/main/java/com/acme/billing/Invoice.java
    | package com.acme.billing;
    |
    | /** What a customer owes. */
    | public final class Invoice {
    |   private final String orderId;
    |
    |   public Invoice(String orderId) {
    |     this.orderId = orderId;
    |   }
    |
    |   public void send() {
    |     Retries.retryWithBackoff(this::sendOnce);
    |   }
    |
    |   private void sendOnce() {}
    | }
    = release/2025 from main: Round as in 2025
    src/main/java/com/acme/billing/Rounding.java
    | package com.acme.billing;
    |
    | final class Rounding {
    |   static final int SCALE = 2;
    | }
  `,
  "data-pipeline": `
    = main: Count what was ordered
    pipeline/orders.py
    | """Counts orders by day."""
    |
    | ORDER_TIMEOUT_MS = 2500
    |
    |
    | def count_by_day(orders):
    |     days = {}
    |     for order in orders:
    |         days[order.day] = days.get(order.day, 0) + 1
    |     return days
    pipeline/logo.png [hex]
    | 89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52
    notes/größe.md
    | Die Größe der Warteschlange: 漢字 and 👍🏽 are text, too.
  `,
  infra: `
    = main: Deploy
    deploy/orders-api.yaml
    | env:
    |   - name: ORDER_TIMEOUT_MS
    |     value: "2500"
    deploy.sh [executable]
    | #!/bin/sh
    | set -eu
    | kubectl apply -f deploy/
  `,
  "legacy-ledger": `
    = master: Keep the books
    sql/ledger.sql
    | -- Every order ends here; ORDER_TIMEOUT_MS does not count.
    | CREATE TABLE ledger (order_id text PRIMARY KEY, amount bigint NOT NULL);
    tag 1998-final
  `,
} as const;

export type RepositoryName = keyof typeof texts;

export interface Organization {
  /** The folder that contains all repositories. */
  readonly folder: string;
  readonly repositories: Readonly<Record<RepositoryName, TestRepository>>;
  /** A second clone of `orders-api`. */
  readonly secondClone: string;
}

const bare: RepositoryName = "legacy-ledger";

/** Returns the folder of a repository, relative to that of the organization. */
export function folderOf(name: RepositoryName): string {
  return name === bare ? `${name}.git` : name;
}

function originOf(name: RepositoryName): string {
  return `https://git.example.com/acme/${name}.git`;
}

export function makeOrganization(folder: string): Organization {
  const entries = (Object.keys(texts) as RepositoryName[]).map((name) => {
    const options: RepoOptions = {
      path: join(folder, folderOf(name)),
      bare: name === bare,
      ...(name === bare ? {} : { origin: originOf(name) }),
    };
    return [name, repo(texts[name], options)] as const;
  });
  const repositories = Object.fromEntries(entries) as Record<RepositoryName, TestRepository>;
  const secondClone = join(folder, "orders-api-review");
  runGit(folder, ["clone", "-q", repositories["orders-api"].path, secondClone]);
  runGit(secondClone, ["remote", "set-url", "origin", originOf("orders-api")]);
  return { folder, repositories, secondClone };
}
