/** The rows that a command applies to when several are selected. Pure: does not use VS Code. */

interface Tree<Row> {
  readonly children: (row: Row | undefined) => readonly Row[];
  readonly parent: (row: Row) => Row | undefined;
}

/** Returns the rows in the order of the tree: VS Code reports them in the order in which they were selected. */
export function inRowOrder<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { children, parent }: Tree<Row>,
): readonly Row[] {
  if (rows.length < 2) return rows;
  const siblings = new Map<string, ReadonlyMap<string, number>>();
  const indexOf = (row: Row, of: Row | undefined): number => {
    const key = of?.id ?? "";
    const indexes =
      siblings.get(key) ?? new Map(children(of).map(({ id }, index): [string, number] => [id, index]));
    siblings.set(key, indexes);
    return indexes.get(row.id) ?? 0;
  };
  const pathOf = (row: Row): readonly number[] => {
    const of = parent(row);
    return [...(of === undefined ? [] : pathOf(of)), indexOf(row, of)];
  };
  return rows
    .map((row) => ({ row, path: pathOf(row) }))
    .sort((one, other) => comparePaths(one.path, other.path))
    .map(({ row }) => row);
}

function comparePaths(one: readonly number[], other: readonly number[]): number {
  const level = one.findIndex((index, depth) => index !== other[depth]);
  return level < 0 ? -1 : (one[level] ?? 0) - (other[level] ?? -1);
}
