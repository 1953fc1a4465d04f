/** Connects the leader to code hosts: their setup, and the operations on them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "#base/error";
import type { CodeHostPlan, CodeHostStatus } from "#contract/codeHosts";
import type { Service } from "#contract/service";
import type { Connection } from "#hosts/connection";
import { hostAddress } from "#mirrors/connection";
import type { ConnectionListing } from "#mirrors/listConnection";
import { type ConnectionProblem, type MirrorRecord, mirrorStateOf } from "#mirrors/mirrorRecord";
import { stateFile } from "#mirrors/state";
import type { CodeHosts, CodeHostsSetup, ConnectionStatus } from "#sync/codeHosts";
import type { Configuration } from "./configuration";

/** Returns `undefined` if there are no connections, and never were. Loads the clients of hosts only if needed. */
export async function codeHostsSetup({
  connections,
  dataDir,
}: Pick<Configuration, "connections" | "dataDir">): Promise<CodeHostsSetup<Connection> | undefined> {
  if (Object.keys(connections).length === 0 && !existsSync(stateFile(dataDir))) return undefined;
  const [{ openHost }, { selectRepositories }] = await Promise.all([
    import("#hosts/openHost"),
    import("#hosts/selection"),
  ]);
  return {
    dataDir,
    connections,
    helperFolder: join(__dirname, "credentialHelper"),
    openHost,
    selectRepositories,
  };
}

type CodeHostOperation = "codeHosts" | "planCodeHost" | "syncCodeHost" | "confirmCodeHost";

export function codeHostOperations(codeHosts: CodeHosts | undefined): Pick<Service, CodeHostOperation> {
  const configured = (name: string): CodeHosts => {
    if (codeHosts !== undefined) return codeHosts;
    throw new ServiceError("NOT_FOUND", `There is no connection "${name}" in the configuration.`);
  };
  return {
    async codeHosts() {
      return codeHosts?.statuses.map(toStatus) ?? [];
    },
    async planCodeHost({ name }, { signal }) {
      return toPlan(await configured(name).plan(name, signal));
    },
    async syncCodeHost({ name }) {
      return toPlan(await configured(name).sync(name));
    },
    async confirmCodeHost({ name }) {
      return { confirmed: configured(name).confirm(name) };
    },
  };
}

function toPlan(listing: ConnectionListing | ConnectionProblem): CodeHostPlan {
  if ("message" in listing) {
    const nothing = { scopes: [], listed: 0, requests: 0, added: [], renamed: [], excluded: [], removed: [] };
    return { ...nothing, problems: [toProblem(listing)], kept: 0, unconfirmed: 0 };
  }
  const { account, scopes, listedCount, requestCount, problems, plan } = listing;
  const toReason = ({ repository, reason }: { repository: { path: string }; reason: string }) => ({
    path: repository.path,
    reason,
  });
  return {
    ...(account === undefined ? {} : { account }),
    scopes: [...scopes],
    listed: listedCount,
    requests: requestCount,
    problems: problems.map(toProblem),
    added: plan.added.map(({ repository }) => repository.path),
    renamed: [...plan.renamed],
    excluded: plan.excluded.map(toReason),
    removed: plan.removed.map(toReason),
    kept: plan.kept.length,
    unconfirmed: plan.unconfirmedIds?.length ?? 0,
  };
}

function toProblem({ scope, message }: ConnectionProblem): CodeHostPlan["problems"][number] {
  return scope === undefined ? { message } : { scope, message };
}

function toStatus({ name, settings, record, isListing, mirrors }: ConnectionStatus): CodeHostStatus {
  const { listedAt, nextListAt, problems, unconfirmedIds = [] } = record;
  return {
    name,
    type: settings.type,
    url: hostAddress(settings),
    ...timeField("listedAt", listedAt),
    ...timeField("nextListAt", nextListAt === 0 ? undefined : nextListAt),
    isListing,
    problems: problems.map(toProblem),
    unconfirmed: unconfirmedIds.length,
    repositories: mirrors.map((mirror) => toRepository(mirror, name)),
  };
}

function toRepository(mirror: MirrorRecord, name: string): CodeHostStatus["repositories"][number] {
  const { repository, holdings, fetches } = mirror;
  const common = {
    path: repository.path,
    ...timeField("fetchedAt", fetches.fetchedAt),
    state: mirrorStateOf(mirror, name),
  };
  const reasons = {
    hidden: holdings[name]?.released?.reason,
    gone: "The host says that it does not exist.",
    failing: fetches.lastError,
    waiting: undefined,
    mirrored: undefined,
  };
  const reason = reasons[common.state];
  return reason === undefined ? common : { ...common, reason };
}

function timeField<Name extends string>(name: Name, time: number | undefined): { [Key in Name]?: string } {
  const field = time === undefined ? {} : { [name]: new Date(time).toISOString() };
  return field as { [Key in Name]?: string };
}
