/** "Add Code Host...": asks for the host, how to sign in and what to mirror, checks it, and stores the connection. */
import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { count } from "#client/workbench/format";
import type { CodeHostPlan } from "#contract/codeHosts";
import type { HostTokens } from "./hostTokens";
import {
  addressProblem,
  connectionName,
  type HostAnswers,
  hostTypes,
  namesIn,
  type ScopeKind,
  sessionProviders,
  settingsOf,
} from "./hostTypes";
import { type Answers, askSignIn, askToken, askUser } from "./signInSteps";
import { askSteps, back, pickStep, type Step, skip, textStep } from "./steps";

export interface AddHostOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly tokens: Pick<HostTokens, "names" | "store" | "signIn" | "forget">;
  /** The names of the connections. */
  readonly names: () => Promise<readonly string[]>;
  readonly showPlan: (name: string, plan: CodeHostPlan) => Promise<void>;
}

const title = (step: 1 | 3) => vscode.l10n.t("Add Code Host ({0} of 3)", step);
/** How many names a confirmation lists. */
const maxNames = 10;

const askType: Step<Answers> = async (answers, position) => {
  const items = hostTypes.map((host) => ({
    label: `$(${host.icon}) ${host.brand}`,
    description: host.address === "https://" ? "" : (host.address ?? "https://bitbucket.org"),
    host,
  }));
  const active = items.find(({ host }) => host === answers.host)?.label;
  const placeholder = vscode.l10n.t("Which kind of host?");
  const picked = await pickStep(items, { title: title(1), placeholder, active, ...position });
  if (picked === undefined || picked === back) return picked;
  return picked.host === answers.host ? answers : { host: picked.host };
};

const askAddress: Step<Answers> = async (answers, position) => {
  const { host } = answers;
  if (host?.address === undefined) return skip;
  const address = await textStep({
    title: title(1),
    placeholder: "https://git.example.com",
    prompt: vscode.l10n.t("Address of the host. Press Enter to continue."),
    value: answers.address ?? host.address,
    check: checkAddress,
    ...position,
  });
  return typeof address === "string" ? { ...answers, address: address.replace(/\/+$/, "") } : address;
};

function checkAddress(text: string): string | vscode.InputBoxValidationMessage | undefined {
  switch (addressProblem(text)) {
    case "credentials":
      return vscode.l10n.t("Leave out the user and the password. The next step asks how to sign in.");
    case "invalid":
      return vscode.l10n.t("Enter an address such as https://git.example.com.");
    case undefined:
      return text.startsWith("http:")
        ? {
            message: vscode.l10n.t("Not encrypted: others on the network can read the code and the token."),
            severity: vscode.InputBoxValidationSeverity.Warning,
          }
        : undefined;
  }
}

const askScope: Step<Answers> = async (answers, position) => {
  const items = (answers.host?.scopes ?? []).map((scope) => ({
    label: scopeTitle(scope),
    description: scope.example === undefined ? "" : vscode.l10n.t("such as {0}", scope.example),
    scope,
  }));
  const active = items.find(({ scope }) => scope === answers.scope)?.label;
  const placeholder = vscode.l10n.t("What should be mirrored?");
  const picked = await pickStep(items, { title: title(3), placeholder, active, ...position });
  if (picked === undefined || picked === back) return picked;
  if (picked.scope === answers.scope) return answers;
  return { ...answers, scope: picked.scope, names: [] };
};

const askNames: Step<Answers> = async (answers, position) => {
  const { scope } = answers;
  if (scope?.example === undefined) return skip;
  const text = await textStep({
    title: title(3),
    placeholder: scope.example,
    prompt: scope.isSingle
      ? vscode.l10n.t("{0}, as a path on the host.", scopeTitle(scope))
      : vscode.l10n.t("{0}, separated by commas or spaces.", scopeTitle(scope)),
    value: answers.names?.join(", ") ?? "",
    check: (each) => (namesIn(each).length === 0 ? vscode.l10n.t("Enter at least one name.") : undefined),
    ...position,
  });
  return typeof text === "string" ? { ...answers, names: namesIn(text) } : text;
};

/** Returns the name of the new connection; `undefined` if the user canceled. */
export async function addHost(options: AddHostOptions): Promise<string | undefined> {
  const { service, tokens } = options;
  const steps = [askType, askAddress, askSignIn, askToken(tokens), askUser, askScope, askNames];
  const taken = [...(await options.names()), ...tokens.names, ...sessionProviders];
  let answers = await askSteps<Answers>(steps, {});
  for (;;) {
    if (answers === undefined) return undefined;
    const host = complete(answers);
    const { address = "https://bitbucket.org", credentials, scope } = host;
    const name = connectionName(address, taken);
    const settings = settingsOf(host, name);
    const isStored = credentials.kind === "secret";
    let isAdded = false;
    try {
      if (isStored) await tokens.store(name, new URL(address).origin, credentials.token);
      const outcome = await check(options, name, settings);
      if (outcome === "cancel") return undefined;
      if (outcome === "add") {
        await service.call("addCodeHost", { name, settings });
        isAdded = true;
        return name;
      }
    } finally {
      if (isStored && !isAdded) await tokens.forget(name);
    }
    // The last step, from which the user can go back to the others.
    answers = await askSteps<Answers>(steps, answers, scope.example === undefined ? 5 : 6);
  }
}

function complete({ host, address, credentials, scope, names = [] }: Answers): HostAnswers {
  if (host === undefined || credentials === undefined || scope === undefined)
    throw new Error("A step of the dialog is missing.");
  return { host, ...(address === undefined ? {} : { address }), credentials, scope, names };
}

/** Lists the host, and asks whether to add it. */
async function check(
  { service, showPlan }: AddHostOptions,
  name: string,
  settings: Record<string, unknown>,
): Promise<"add" | "change" | "cancel"> {
  const { t } = vscode.l10n;
  const change = t("Change");
  let plan: CodeHostPlan;
  try {
    plan = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: t("Listing {0}", name), cancellable: true },
      (_progress, token) => service.call("checkCodeHost", { name, settings }, { token }),
    );
  } catch (error) {
    if (error instanceof vscode.CancellationError) return "change";
    const { message } = callError(error);
    const choice = await vscode.window.showErrorMessage(
      t("These settings cannot be used."),
      { modal: true, detail: message },
      change,
    );
    return choice === change ? "change" : "cancel";
  }
  return confirm(name, plan, showPlan);
}

async function confirm(
  name: string,
  plan: CodeHostPlan,
  showPlan: AddHostOptions["showPlan"],
): Promise<"add" | "change" | "cancel"> {
  const { t } = vscode.l10n;
  const [add, show, change] = [t("Add"), t("Show Plan"), t("Change")];
  const { added, excluded, problems } = plan;
  const more = added.length - maxNames;
  const detail = [
    ...problems
      .slice(0, maxNames)
      .map(({ scope, message }) => (scope === undefined ? message : `${scope}: ${message}`)),
    ...added.slice(0, maxNames),
    ...(more > 0 ? [t("and {0} more", count(more))] : []),
    ...(excluded.length > 0 ? [t("Excluded: {0}.", count(excluded.length))] : []),
  ].join("\n");
  const isEmpty = added.length === 0;
  const message = isEmpty
    ? t("{0} lists no repositories with these settings.", name)
    : added.length === 1
      ? t("Mirror 1 repository of {0}?", name)
      : t("Mirror {0} repositories of {1}?", count(added.length), name);
  const choice = await vscode.window.showInformationMessage(
    message,
    { modal: true, detail },
    ...(isEmpty && problems.length === 0 ? [change] : [add, show, change]),
  );
  if (choice === add) return "add";
  if (choice === change) return "change";
  if (choice !== show) return "cancel";
  await showPlan(name, plan);
  const answer = await vscode.window.showInformationMessage(message, add, change);
  return answer === add ? "add" : answer === change ? "change" : "cancel";
}

function scopeTitle({ kind }: ScopeKind): string {
  switch (kind) {
    case "all":
      return vscode.l10n.t("Everything");
    case "organizations":
      return vscode.l10n.t("Organizations");
    case "groups":
      return vscode.l10n.t("Groups");
    case "users":
      return vscode.l10n.t("Users");
    case "projects":
      return vscode.l10n.t("Projects");
    case "workspaces":
      return vscode.l10n.t("Workspaces");
    case "repositories":
      return vscode.l10n.t("Repositories");
    case "manifest":
      return vscode.l10n.t("Manifest (grokmirror)");
  }
}
