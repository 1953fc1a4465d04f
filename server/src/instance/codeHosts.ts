/** Connects the leader to code hosts: their setup, and the operations on them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AuthThrottle } from "#access/authThrottle";
import { isServiceError, ServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import {
  type CodeHostPlan,
  type CodeHostRepository,
  type CodeHostRepositoryState,
  type CodeHostStatus,
  maxStatusRepositories,
} from "#contract/codeHosts";
import type { CallContext, Service } from "#contract/service";
import type { Connection, ConnectionOf } from "#hosts/connection";
import type { EditorTokens } from "#hosts/editorTokens";
import { hostAddress } from "#mirrors/connection";
import type { ConnectionListing } from "#mirrors/listConnection";
import { type ConnectionProblem, type MirrorRecord, mirrorName, mirrorStateOf } from "#mirrors/mirrorRecord";
import { mirrorsFolder, stateFile } from "#mirrors/state";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import type { CodeHosts, CodeHostsSetup, ConnectionStatus } from "#sync/codeHosts";
import { checkRights } from "./clusterRoles";
import type { Configuration } from "./configuration";
import { connectionsFile } from "./connectionsFile";

/** The folder of git's credential helper. */
export const helperFolder = join(__dirname, "credentialHelper");

/** What a process knows of a file with connections. */
interface KnownFile {
  readonly connections: Configuration["connections"];
  /** Whether the file contains them now. */
  readonly isCurrent: boolean;
}

export interface KnownFiles {
  /** The configuration file; none if there is no such file. */
  readonly configured: KnownFile;
  /** `connections.jsonc`. */
  readonly added: KnownFile;
}

/** Returns `undefined` if there are no connections, and never were. Loads the clients of hosts only if needed. */
export async function codeHostsSetup(
  { dataDir, source, role }: Pick<Configuration, "dataDir" | "source" | "role">,
  { configured, added }: KnownFiles,
  editorTokens: EditorTokens,
): Promise<CodeHostsSetup<Connection> | undefined> {
  const connections = { ...added.connections, ...configured.connections };
  checkRights(role, connections);
  // Either of them may have been lost.
  const wereConnected = existsSync(stateFile(dataDir)) || existsSync(mirrorsFolder(dataDir));
  if (Object.keys(connections).length === 0 && !wereConnected) return undefined;
  const [{ openHost }, { selectRepositories }, { readSecret }, { readWebhook }] = await Promise.all([
    import("#hosts/openHost"),
    import("#hosts/selection"),
    import("#hosts/secret"),
    import("#hosts/webhook"),
  ]);
  return {
    dataDir,
    connections,
    // Without a configuration file, this process does not know the connections of the one that led before.
    removals: !(configured.isCurrent && added.isCurrent) ? "none" : source === undefined ? "added" : "all",
    addedNames: Object.keys(added.connections).filter((name) => !Object.hasOwn(configured.connections, name)),
    helperFolder,
    openHost: (name, connection) =>
      openHost(name, connection, { readEditorToken: (...token) => editorTokens.read(...token) }),
    selectRepositories,
    readSecret,
    readWebhook,
  };
}

type CodeHostOperation =
  | "codeHosts"
  | "codeHostRepositories"
  | "planCodeHost"
  | "syncCodeHost"
  | "confirmCodeHost"
  | "receiveWebhook";

export interface CodeHostOperationOptions {
  readonly configuration: Pick<Configuration, "dataDir" | "source">;
  readonly authThrottle: AuthThrottle;
  readonly editorTokens: EditorTokens;
  /** Whether a sync also clones and fetches, because this process does not do that on its own. */
  readonly fetchesOnSync: boolean;
}

export function codeHostOperations(
  current: () => CodeHosts | undefined,
  { configuration: { dataDir, source }, authThrottle, editorTokens, fetchesOnSync }: CodeHostOperationOptions,
): Pick<Service, CodeHostOperation> {
  const configured = (name: string): CodeHosts => {
    const codeHosts = current();
    if (codeHosts !== undefined) return codeHosts;
    throw unknownConnection(name);
  };
  return {
    async codeHosts(_request, context) {
      const codeHosts = current();
      return (codeHosts?.statuses ?? []).map((status) => {
        const file = status.record.isAdded ? connectionsFile(dataDir) : source?.file;
        const rightsProblems = codeHosts?.rights.problems(status.name) ?? [];
        const shown = toStatus(status, rightsProblems, problemWriter(status.settings, context));
        if (context.actor.kind !== "local") return shown;
        return { ...shown, ...(file === undefined ? {} : { file }), ...signInField(status, editorTokens) };
      });
    },
    async codeHostRepositories({ name, state, page, perPage }) {
      const status = configured(name).statuses.find((each) => each.name === name);
      if (status === undefined) throw unknownConnection(name);
      const all = repositoriesOf(status)
        .filter((each) => state === undefined || each.state === state)
        .sort((one, other) => (one.path < other.path ? -1 : 1));
      return { items: all.slice((page - 1) * perPage, page * perPage), total: all.length };
    },
    async planCodeHost({ name }, context) {
      const hosts = configured(name);
      const listing = await hosts.plan(name, context.signal);
      return toPlan(listing, problemWriter(settingsOf(hosts, name), context));
    },
    async syncCodeHost({ name }, context) {
      const hosts = configured(name);
      const listing = await untilDeadline(hosts.sync(name), context);
      hosts.rights.recheck(name);
      if (fetchesOnSync) hosts.fetchDue();
      if (listing === undefined) return { ...emptyPlan, isListing: true };
      return { ...toPlan(listing, problemWriter(settingsOf(hosts, name), context)), isListing: false };
    },
    async confirmCodeHost({ name }) {
      return { confirmed: configured(name).confirm(name) };
    },
    async receiveWebhook({ connection, body, ...request }, { address = "", signal }) {
      const webhook = { ...request, body: Buffer.from(body, "base64") };
      const result = (await current()?.webhooks.receive(connection, webhook)) ?? "refused";
      if (result !== "refused") return {};
      // Says the same for every reason, so that nobody learns which connections exist.
      await authThrottle.delayRefusal(address, signal);
      throw new ServiceError("NOT_AUTHENTICATED", "The webhook is not valid.");
    },
  };
}

function unknownConnection(name: string): ServiceError {
  return new ServiceError("NOT_FOUND", `There is no connection "${name}" in the configuration.`);
}

function settingsOf({ statuses }: CodeHosts, name: string): ConnectionStatus["settings"] | undefined {
  return statuses.find((each) => each.name === name)?.settings;
}

/**
 * Waits for a listing: as long as it takes for the local user, until the deadline for others. Returns `undefined` at the
 * deadline; the listing goes on.
 */
async function untilDeadline<Listing>(
  listing: Promise<Listing>,
  { actor, signal, deadline }: CallContext,
): Promise<Listing | undefined> {
  if (actor.kind === "local") return await listing;
  const limit = new TimeLimit(signal, deadline - monotonicNow());
  try {
    return await untilAborted(listing, limit.signal);
  } catch (error) {
    if (limit.isExpired && isServiceError(error, "CANCELLED")) return undefined;
    throw error;
  } finally {
    limit.dispose();
  }
}

type ProblemWriter = (problem: ConnectionProblem) => CodeHostPlan["problems"][number];

/** Returns a function that describes problems: without paths of this computer, unless the local user asks. */
export function problemWriter(
  settings: object | undefined,
  { actor }: Pick<CallContext, "actor">,
): ProblemWriter {
  // The connections of the leader have all the settings of their schema.
  const { caFile, token, proxyLogin, sshKey, knownHosts, app } = (settings ?? {}) as Partial<
    ConnectionOf<"github">
  >;
  const files =
    actor.kind === "local"
      ? []
      : [
          caFile,
          token?.file,
          proxyLogin?.password.file,
          sshKey?.file,
          knownHosts,
          app?.privateKey.file,
        ].filter((file) => file !== undefined);
  return ({ scope, message }) => {
    const shown = files.reduce((text, file) => text.replaceAll(file, "(path)"), message);
    return scope === undefined ? { message: shown } : { scope, message: shown };
  };
}

const emptyPlan: CodeHostPlan = {
  scopes: [],
  listed: 0,
  requests: 0,
  problems: [],
  added: [],
  renamed: [],
  excluded: [],
  removed: [],
  kept: 0,
  unconfirmed: 0,
};

export function toPlan(
  listing: ConnectionListing | ConnectionProblem,
  toProblem: ProblemWriter,
): CodeHostPlan {
  if ("message" in listing) return { ...emptyPlan, problems: [toProblem(listing)] };
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

/** The states that need attention come first in a status. */
const attention: readonly CodeHostRepositoryState[] = ["failing", "gone", "hidden"];

function toStatus(
  status: ConnectionStatus,
  rightsProblems: readonly ConnectionProblem[],
  toProblem: ProblemWriter,
): CodeHostStatus {
  const { name, settings, record, isListing, mirrors } = status;
  const repositories = repositoriesOf(status);
  const counts = { waiting: 0, mirrored: 0, failing: 0, gone: 0, hidden: 0 };
  for (const { state } of repositories) counts[state]++;
  const { listedAt, nextListAt, problems, unconfirmedIds = [] } = record;
  const unconfirmed = new Set(unconfirmedIds);
  return {
    name,
    type: settings.type,
    url: hostAddress(settings),
    ...timeField("listedAt", listedAt),
    ...timeField("nextListAt", nextListAt === 0 ? undefined : nextListAt),
    isListing,
    problems: problems.map(toProblem),
    rightsProblems: rightsProblems.slice(0, maxStatusRepositories).map(toProblem),
    unconfirmed: unconfirmedIds.length,
    unconfirmedPaths: mirrors
      .filter(({ repository }) => unconfirmed.has(repository.hostId))
      .map(({ repository }) => repository.path)
      .slice(0, maxStatusRepositories),
    counts,
    repositories: attention
      .flatMap((state) => repositories.filter((each) => each.state === state))
      .slice(0, maxStatusRepositories),
  };
}

function signInField(
  { settings, record: { problems } }: ConnectionStatus,
  editorTokens: EditorTokens,
): Pick<CodeHostStatus, "signIn"> {
  const token = settings.token?.editor;
  if (token === undefined) return {};
  const isMissing = !editorTokens.has(token, new URL(hostAddress(settings)).origin);
  return { signIn: { token, isNeeded: isMissing || problems.some(({ status }) => status === 401) } };
}

function repositoriesOf({ name, mirrors }: ConnectionStatus): readonly CodeHostRepository[] {
  return mirrors.map((mirror) => toRepository(mirror, name));
}

function toRepository(mirror: MirrorRecord, name: string): CodeHostRepository {
  const { repository, holdings, fetches } = mirror;
  const common = {
    path: repository.path,
    repository: mirrorName(mirror),
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
