import type { CompiledQuery, DatabaseConnection } from "kysely";

/** A connection, of which `run` is what differs. Texts come to it as every database can keep them. */
export function connectionOf(
  run: (sql: string, parameters: readonly unknown[]) => Promise<readonly unknown[]>,
): DatabaseConnection {
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery) {
      return { rows: (await run(sql, parameters.map(storable))) as Row[] };
    },
    streamQuery() {
      throw new Error("The store asks for what it needs in pages.");
    },
  };
}

/** No database keeps a NUL in a text, nor half a pair of UTF-16. Asked for, they find what they were stored as. */
function storable(value: unknown): unknown {
  if (typeof value !== "string" || !/[\0\ud800-\udfff]/.test(value)) return value;
  return Buffer.from(value.replaceAll("\0", "\ufffd")).toString();
}
