import { usageError } from "#base/error";
import type { ClusterStatus, NodeStatus } from "#instance/clusterStatus";
import type { Configuration } from "#instance/configuration";
import { fieldIfDefined } from "#instance/settingValues";
import { readConfiguration } from "./configuration";
import type { CommandContext, OpenCluster } from "./context";
import type { Flags } from "./flags";
import { formatCount, formatDuration } from "./format";
import { alignColumns, requireNoPositionals, requireOnePositional } from "./subcommands";

const subcommands = ["status", "add", "drain", "undrain"];

/** Reads and changes the database and the configuration file directly, so that it works while no Trawl serves. */
export async function clusterCommand(context: CommandContext, flags: Flags): Promise<number> {
  const [name = "", ...positionals] = flags.positionals;
  const available = `Available: ${subcommands.join(", ")}.`;
  if (!subcommands.includes(name))
    throw usageError(
      name === ""
        ? `cluster requires a subcommand. ${available}`
        : `Unknown subcommand "cluster ${name}". ${available}`,
    );
  if (name === "status") requireNoPositionals(positionals);
  const node = name === "status" ? "" : requireOnePositional(positionals, "NODE");
  const configuration = readConfiguration(flags, context.currentFolder, context.defaultDataDir);
  if (name === "add") return await addNode(context, flags, configuration, node);
  const cluster = await context.openCluster(configuration);
  try {
    return name === "status"
      ? await printStatus(context, flags, cluster)
      : await setDrained(context, cluster, node, name === "drain");
  } finally {
    await cluster.close();
  }
}

async function addNode(
  { terminal, addClusterNode }: CommandContext,
  flags: Flags,
  configuration: Configuration,
  name: string,
): Promise<number> {
  const url = flags.text("url");
  const indexFolder = flags.text("index-folder");
  const weight = flags.integer("weight", 1, 1000);
  if (url === undefined || indexFolder === undefined)
    throw usageError("cluster add requires --url and --index-folder.");
  const file = await addClusterNode(configuration, {
    name,
    url,
    indexFolder,
    ...fieldIfDefined("weight", weight),
  });
  await terminal.print(
    `Node ${name} is in ${file}. Next:\n` +
      "1. Copy the file to the other computers of the cluster.\n" +
      "2. Restart all processes one after the other, frontends first.\n" +
      `3. Start "trawl serve --role indexer --node ${name} --config FILE" beside the node.\n`,
  );
  return 0;
}

async function printStatus(
  { terminal }: CommandContext,
  flags: Flags,
  { status: readStatus }: OpenCluster,
): Promise<number> {
  const status = await readStatus();
  await terminal.print(
    flags.has("json")
      ? `${JSON.stringify(status, undefined, terminal.isTty ? 2 : undefined)}\n`
      : describe(status),
  );
  return isHealthy(status) ? 0 : 1;
}

function isHealthy({ nodes, underReplicated }: ClusterStatus): boolean {
  return (
    underReplicated === 0 &&
    nodes.every(
      ({ isReachable, isIndexerAlive, failed }) => isReachable && isIndexerAlive !== false && failed === 0,
    )
  );
}

async function setDrained(
  { terminal }: CommandContext,
  cluster: OpenCluster,
  node: string,
  isDrained: boolean,
): Promise<number> {
  await cluster.setDrained(node, isDrained);
  await terminal.print(
    isDrained
      ? `Node ${node} is drained. Its repositories move to other nodes; it serves them until these have them.\n`
      : `Node ${node} gets its share of the repositories again.\n`,
  );
  return 0;
}

function describe({ nodes, replicas, repositories, underReplicated }: ClusterStatus): string {
  const header = [
    "NODE",
    "STATE",
    "REPOSITORIES",
    "INDEXED",
    "WAITING",
    "RUNNING",
    "FAILED",
    "LAG",
    "INDEXER",
  ];
  const rows = nodes.map((node) => [
    node.name,
    [node.isReachable ? "ready" : "unreachable", ...(node.isDrained ? ["drained"] : [])].join(", "),
    ...[node.repositories, node.indexed, node.waiting, node.running, node.failed].map(String),
    node.lagSeconds === 0 ? "" : formatDuration(node.lagSeconds * 1000),
    describeIndexer(node),
  ]);
  const total =
    `${formatCount(repositories, "repository", "repositories")}, ` +
    `${formatCount(replicas, "replica")} of each; ${underReplicated} under-replicated`;
  return `${alignColumns([header, ...rows])}${total}\n`;
}

function describeIndexer({ hasIndexer, isIndexerAlive, indexerSeenAt }: NodeStatus): string {
  if (!hasIndexer) return "none";
  if (indexerSeenAt === undefined) return "never seen";
  const silence = formatDuration(Math.max(0, Date.now() - indexerSeenAt));
  return isIndexerAlive ? `seen ${silence} ago` : `not seen for ${silence}`;
}
