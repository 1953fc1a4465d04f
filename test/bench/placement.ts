/** Simulates the placement of many repositories on nodes, and compares it with what hashing leads one to expect. */
import { type PlacedNode, placeRepository } from "#indexing/placement";
import { heading, printTable } from "./report";

const repositoryCount = 100_000;
const totalBytes = 10e12;
/** One repository is not divided between nodes. */
const maxBytes = 20e9;
const clusters = [
  { count: 10, replicas: 1, weights: [1] },
  { count: 40, replicas: 1, weights: [1] },
  { count: 40, replicas: 2, weights: [1] },
  { count: 40, replicas: 2, weights: [1, 3] },
  { count: 100, replicas: 2, weights: [1] },
] as const;

export function benchPlacement(): void {
  heading("Placement");
  const sizes = repositorySizes();
  console.log(
    `${repositoryCount.toLocaleString("en-US")} repositories of ${totalBytes / 1e12} TB: sizes follow Zipf's law, up to ` +
      `${maxBytes / 1e9} GB. Balance: the fullest node to the mean, by share; expected: for even hashing. Moved: the share ` +
      "of all copies that change nodes when one node is added, or that one is lost again; expected: its share.\n",
  );
  const rows = clusters.map(({ count, replicas, weights }) => {
    const nodes = Array.from({ length: count + 1 }, (_, at): PlacedNode => {
      return { name: `node-${at}`, weight: weights[at % weights.length] ?? 1 };
    });
    const before = process.cpuUsage();
    const place = (on: readonly PlacedNode[]) => sizes.map((_, id) => placeRepository(id + 1, on, replicas));
    const [less, more] = [place(nodes.slice(0, count)), place(nodes)];
    const { user, system } = process.cpuUsage(before);
    const used = nodes.slice(0, count);
    const added = nodes[count] as PlacedNode;
    let moved = 0;
    let astray = 0;
    for (const [at, places] of more.entries())
      for (const node of places) {
        if (less[at]?.includes(node)) continue;
        moved++;
        if (node !== added) astray++;
      }
    const share = added.weight / sum(nodes.map(({ weight }) => weight));
    const copies = repositoryCount * replicas;
    return [
      `${count} nodes${weights.length > 1 ? `, weights ${weights.join(" and ")}` : ""}, replicas: ${replicas}`,
      balanceOf(used, less, () => 1).toFixed(3),
      expectedBalance(used, copies).toFixed(3),
      balanceOf(used, less, (id) => sizes[id] ?? 0).toFixed(3),
      `${((moved / copies) * 100).toFixed(2)} %`,
      `${(share * 100).toFixed(2)} %`,
      String(astray),
      ((user + system) / 2e6).toFixed(1),
    ];
  });
  printTable(["", "balance", "expected", "by bytes", "moved", "expected", "to other nodes", "cpu s"], rows);
}

/** By rank: the size of the second one is half that of the first one, and so on. */
function repositorySizes(): readonly number[] {
  const relative = Array.from({ length: repositoryCount }, (_, at) => 1 / (at + 1));
  const scaled = (factor: number) => relative.map((size) => Math.min(maxBytes, size * factor));
  let factor = totalBytes / sum(relative);
  for (let round = 0; round < 50; round++) factor *= totalBytes / sum(scaled(factor));
  return scaled(factor);
}

/** Returns the load of the fullest node, divided by its share of all. */
function balanceOf(
  nodes: readonly PlacedNode[],
  placed: readonly (readonly PlacedNode[])[],
  sizeOf: (id: number) => number,
): number {
  const loads = new Map(nodes.map((node) => [node, 0]));
  for (const [id, places] of placed.entries())
    for (const node of places) loads.set(node, (loads.get(node) ?? 0) + sizeOf(id));
  const perWeight = sum([...loads.values()]) / sum(nodes.map(({ weight }) => weight));
  return Math.max(...[...loads].map(([{ weight }, load]) => load / (weight * perWeight)));
}

/** Returns the largest of the loads that independent draws lead one to expect: some standard deviations above the mean. */
function expectedBalance(nodes: readonly PlacedNode[], copies: number): number {
  const total = sum(nodes.map(({ weight }) => weight));
  const deviations = Math.sqrt(2 * Math.log(nodes.length));
  return 1 + deviations / Math.sqrt((copies * Math.min(...nodes.map(({ weight }) => weight))) / total);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
