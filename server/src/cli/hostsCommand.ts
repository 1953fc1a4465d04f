import { isServiceError, ServiceError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type { CodeHostPlan, CodeHostStatus } from "#contract/codeHosts";
import type { Instance } from "#instance/instance";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { formatCount, formatDuration } from "./format";
import { waitForIndexing } from "./indexCommand";
import { allRepositories, formatTotals, totalsOf } from "./repositories";
import { describeConfigurationProblem } from "./statusCommand";
import {
  alignColumns,
  requireOnePositional,
  runSubcommand,
  type SendRequest,
  type Subcommand,
} from "./subcommands";

export function hostsCommand(context: CommandContext, flags: Flags): Promise<number> {
  const subcommands = {
    status,
    check: forEachConnection("planCodeHost", printCheck),
    plan: forEachConnection("planCodeHost", printPlan),
    sync,
    confirm,
  };
  return runSubcommand(context, flags, "hosts", subcommands, ["sync"]);
}

/** Lists connections. If no other process serves, also clones, fetches and indexes what is due. */
const sync: Subcommand = async (context, flags, positionals, send, instance) => {
  const startedAt = performance.now();
  let incomplete: ServiceError | undefined;
  try {
    await listConnections(context, flags, positionals, send, instance);
  } catch (error) {
    // What could be listed is mirrored.
    if (!isServiceError(error, "ENGINE_UNAVAILABLE")) throw error;
    incomplete = error;
  }
  if (instance.role === "leader") await reportIndexing(context, instance, flags, startedAt);
  if (incomplete !== undefined) throw incomplete;
};

const listConnections = forEachConnection("syncCodeHost", printPlan);

/** Throws GIT_FAILED if a repository could not be cloned or indexed. */
async function reportIndexing(
  context: CommandContext,
  instance: Instance,
  flags: Flags,
  startedAt: number,
): Promise<void> {
  const scope = { withMirrors: true, withSymbols: true, withDependencies: true };
  const { failed } = await waitForIndexing(context, instance, scope);
  const totals = totalsOf(await allRepositories(instance.caller, context.interrupted));
  const duration = formatDuration(performance.now() - startedAt);
  if (!flags.has("json")) await context.terminal.print(`Indexed ${formatTotals(totals)}, in ${duration}\n`);
  if (failed.length === 0) return;
  const count = formatCount(failed.length, "repository", "repositories");
  throw new ServiceError("GIT_FAILED", `${count} could not be cloned or indexed.`);
}

const status: Subcommand = async ({ terminal }, flags, positionals, send) => {
  const { configurationProblem } = await send("instance", {});
  if (configurationProblem !== undefined)
    terminal.printError(`${describeConfigurationProblem(configurationProblem)}\n`);
  const statuses = await namedStatuses(positionals, send);
  if (flags.has("json")) {
    await terminal.print(`${JSON.stringify(statuses, undefined, terminal.isTty ? 2 : undefined)}\n`);
    return;
  }
  for (const each of statuses) await terminal.print(printStatus(each));
};

const confirm: Subcommand = async ({ terminal }, _flags, positionals, send) => {
  const name = requireOnePositional(positionals, "NAME");
  const { confirmed } = await send("confirmCodeHost", { name });
  const count = formatCount(confirmed, "repository", "repositories");
  await terminal.print(
    confirmed === 0
      ? "There is nothing to confirm.\n"
      : `Confirmed: ${count} may be removed once the host has said again that they do not exist.\n`,
  );
};

/** Lists one connection, or all, and prints each result. Fails if a host could not be listed completely. */
function forEachConnection(
  operation: "planCodeHost" | "syncCodeHost",
  print: (plan: CodeHostPlan) => readonly string[],
): Subcommand {
  return async ({ terminal }, flags, positionals, send) => {
    const statuses = await namedStatuses(positionals, send);
    const plans: Record<string, CodeHostPlan> = {};
    for (const { name } of statuses) {
      const plan = await send(operation, { name });
      plans[name] = plan;
      if (!flags.has("json")) await terminal.print([name, ...print(plan).map(indent), ""].join("\n"));
    }
    if (flags.has("json"))
      await terminal.print(`${JSON.stringify(plans, undefined, terminal.isTty ? 2 : undefined)}\n`);
    const incomplete = Object.entries(plans).filter(([, { problems }]) => problems.length > 0);
    if (incomplete.length === 0) return;
    const names = incomplete.map(([name]) => name).join(", ");
    throw new ServiceError("ENGINE_UNAVAILABLE", `Not everything could be listed: ${names}.`);
  };
}

async function namedStatuses(
  positionals: readonly string[],
  send: SendRequest,
): Promise<readonly CodeHostStatus[]> {
  const all = await send("codeHosts", {});
  const name = positionals.length === 0 ? undefined : requireOnePositional(positionals, "NAME");
  const named = all.filter((each) => name === undefined || each.name === name);
  if (named.length > 0) return named;
  throw new ServiceError(
    "NOT_FOUND",
    name === undefined
      ? 'The configuration has no "connections" to code hosts.'
      : `There is no connection "${name}". Connections: ${all.map((each) => each.name).join(", ")}.`,
  );
}

function printCheck(plan: CodeHostPlan): readonly string[] {
  const { account, scopes, listed, excluded, requests } = plan;
  return [
    account === undefined ? "anonymous" : `signed in as ${sanitize(account)}`,
    ...scopes.map(({ scope, outcome }) => `${sanitize(scope)}: ${outcome}`),
    `${formatCount(listed, "repository", "repositories")} listed, ${excluded.length} excluded, ${formatCount(requests, "request", "requests")}`,
    ...printProblems(plan),
  ];
}

function printPlan(plan: CodeHostPlan): readonly string[] {
  const { added, renamed, removed, excluded, kept } = plan;
  return [
    ...added.map((path) => `+ ${sanitize(path)}`),
    ...renamed.map(({ from, to }) => `~ ${sanitize(from)} -> ${sanitize(to)}`),
    ...removed.map(({ path, reason }) => `- ${sanitize(path)}: ${sanitize(reason)}`),
    ...excluded.map(({ path, reason }) => `x ${sanitize(path)}: ${sanitize(reason)}`),
    `${added.length} added, ${renamed.length} renamed, ${removed.length} removed, ${excluded.length} excluded, ${kept} kept`,
    ...printProblems(plan),
  ];
}

function printProblems({
  problems,
  rightsProblems = [],
  unconfirmed,
}: Pick<CodeHostPlan, "problems" | "unconfirmed"> &
  Partial<Pick<CodeHostStatus, "rightsProblems">>): readonly string[] {
  return [
    ...[...problems, ...rightsProblems].map(
      ({ scope, message }) => `! ${scope === undefined ? "" : `${sanitize(scope)}: `}${sanitize(message)}`,
    ),
    ...(unconfirmed === 0
      ? []
      : [`! ${unconfirmed} disappeared at once and are kept. If that is right, run "trawl hosts confirm".`]),
  ];
}

function printStatus(each: CodeHostStatus): string {
  const counts = Object.entries(each.counts).filter(([, count]) => count > 0);
  const lines = [
    `${each.type} ${sanitize(each.url)}`,
    each.listedAt === undefined ? "not listed yet" : `listed ${each.listedAt}`,
    counts.map(([state, count]) => `${count} ${state}`).join(", ") || "no repositories",
    ...printProblems(each),
  ];
  const rows = each.repositories
    .filter(({ reason }) => reason !== undefined)
    .map(({ path, state, reason = "" }) => [sanitize(path), state, sanitize(reason)]);
  return `${[each.name, ...lines.map(indent), ""].join("\n")}${rows.length === 0 ? "" : alignColumns(rows)}`;
}

function indent(line: string): string {
  return `  ${line}`;
}
