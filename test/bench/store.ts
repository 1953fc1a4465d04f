/** Measures the database: pages of a long audit log, compared with plain SQL `count` and `offset`, and key lookups. */
import { Kysely, sql } from "kysely";
import type { DatabaseSource } from "#store/connection";
import { openStore } from "#store/openStore";
import type { AuditPageRequest, Store } from "#store/store";
import { manualClock } from "#test/support/clock";
import { benchDatabases } from "./databases";
import { median, ms, printTable, ratio } from "./report";

const recordCount = 1_000_000;
const batch = 500;
const rounds = 30;
/** Half a year, the retention period of records. */
const start = Date.UTC(2026, 0, 1);
const lengthMs = 180 * 24 * 60 * 60 * 1000;
const perPage = 50;

const pages: Readonly<Record<string, AuditPageRequest>> = {
  "the newest": { page: 1, perPage },
  "the oldest": { page: recordCount / perPage, perPage },
  "in the middle": { page: recordCount / perPage / 2, perPage },
  "of a day": { page: 3, perPage, since: start + lengthMs / 3, until: start + lengthMs / 3 + 86_400_000 },
  "of three months": {
    page: 5000,
    perPage,
    since: start + lengthMs / 4 + 1,
    until: start + (lengthMs * 3) / 4 - 1,
  },
};

export async function benchStore(scratch: string): Promise<void> {
  await benchDatabases({ scratch, title: (database) => database, bench: benchSource });
}

async function benchSource(source: () => DatabaseSource): Promise<void> {
  const clock = manualClock(start);
  const store = await openStore({ source: source(), version: "1.0.0", clock });
  const append = () =>
    store.auditLog.append({
      action: "user.performed_code_search",
      actorId: "019b76da-0000-7000-8000-000000000000",
      actorType: "user",
      targetId: "1",
      targetType: "org",
      metadata: { source: "trawl" },
    });
  const began = performance.now();
  for (let done = 0; done < recordCount; done += batch) {
    await Promise.all(
      Array.from({ length: batch }, (_, at) => {
        clock.time = start + Math.floor(((done + at) * lengthMs) / recordCount);
        return append();
      }),
    );
  }
  const fillSeconds = (performance.now() - began) / 1000;
  const hash = await withKey(store);
  const one = await timed(append);
  const hundred = await timed(() => Promise.all(Array.from({ length: 100 }, append)));
  const check = await timed(() => store.apiKeys.byHash(hash));
  const rows: string[][] = [];
  const times = new Map<string, Times>();
  for (const [name, request] of Object.entries(pages)) {
    times.set(name, await timed(() => store.auditLog.page(request)));
  }
  await store.close();
  const plain = new Kysely<unknown>({ dialect: source().dialect });
  for (const [name, request] of Object.entries(pages)) {
    const { middle, most } = times.get(name) ?? { middle: 0, most: 0 };
    const asSql = await timed(() => plainPage(plain, request), 5);
    rows.push([name, ms(middle), ms(most), ms(asSql.middle), ratio(asSql.middle, middle)]);
  }
  await plain.destroy();
  printTable(
    [`a page of ${recordCount.toLocaleString("en-US")} records`, "ms", "max, ms", "plain SQL, ms", "ratio"],
    rows,
  );
  printTable(
    ["", "ms", "at most"],
    [
      ["key lookup", ms(check.middle), ms(check.most)],
      ["a record", ms(one.middle), ms(one.most)],
      ["a hundred records at once", ms(hundred.middle), ms(hundred.most)],
    ],
  );
  console.log(
    `${Math.round(recordCount / fillSeconds).toLocaleString("en-US")} records per second while it was filled.\n`,
  );
}

async function withKey(store: Store): Promise<string> {
  const hash = "0".repeat(64);
  const member = await store.members.addFirst({ email: "ada@example.com" });
  if (member !== undefined) await store.apiKeys.create({ memberId: member.id, name: "bench", hash });
  return hash;
}

/** Reads a page with plain SQL, which counts every record and skips them one by one. */
async function plainPage(database: Kysely<unknown>, request: AuditPageRequest): Promise<void> {
  const { since = 0, until = 8.64e15, page, perPage } = request;
  const range = sql`from "auditRecord" where "timestamp" between ${since} and ${until}`;
  await sql`select count(*) ${range}`.execute(database);
  const skipped = (page - 1) * perPage;
  await sql`select * ${range} order by "timestamp" desc, "id" desc limit ${perPage} offset ${skipped}`.execute(
    database,
  );
}

interface Times {
  readonly middle: number;
  readonly most: number;
}

async function timed(work: () => Promise<unknown>, count = rounds): Promise<Times> {
  const times: number[] = [];
  for (let round = 0; round < count; round++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return { middle: median(times), most: Math.max(...times) };
}
