/** "Add Code Host...": asks for the host, how to sign in and what to mirror, checks it, and stores the connection. */
import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { count } from "#client/workbench/format";
import type { CodeHostPlan } from "#contract/codeHosts";
import {
  addressProblem,
  type Credentials,
  connectionName,
  type HostAnswers,
  hostTypes,
  namesIn,
  type ScopeKind,
  settingsOf,
} from "./hostTypes";
import { askSteps, back, pickStep, type Step, skip, textStep } from "./steps";

export interface AddHostOptions {
  readonly service: Pick<ServiceClient, "call">;
  /** The names of the connections. */
  readonly names: () => Promise<readonly string[]>;
  readonly showPlan: (name: string, plan: CodeHostPlan) => Promise<void>;
}

type Answers = { -readonly [Field in keyof HostAnswers]?: HostAnswers[Field] };

const title = (step: 1 | 2 | 3) => vscode.l10n.t("Add Code Host ({0} of 3)", step);
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

const askSignIn: Step<Answers> = async (answers, position) => {
  const { t } = vscode.l10n;
  const items: readonly (vscode.QuickPickItem & { readonly source: Credentials["kind"] })[] = [
    {
      label: t("Environment Variable"),
      description: t("of the process that starts the search server"),
      source: "env",
    },
    { label: t("File"), description: t("that contains only the token"), source: "file" },
    { label: t("No Credentials"), description: t("only public repositories"), source: "none" },
  ];
  const active = items.find(({ source }) => source === answers.credentials?.kind)?.label;
  const placeholder = t("Where is the access token?");
  const picked = await pickStep(items, { title: title(2), placeholder, active, ...position });
  if (picked === undefined || picked === back) return picked;
  if (picked.source === answers.credentials?.kind) return answers;
  const credentials: Credentials =
    picked.source === "none" ? { kind: "none" } : { kind: picked.source, name: "" };
  return { ...answers, credentials };
};

const askToken: Step<Answers> = async (answers, position) => {
  const { credentials } = answers;
  if (credentials === undefined || credentials.kind === "none") return skip;
  const isVariable = credentials.kind === "env";
  const { t } = vscode.l10n;
  const name = await textStep({
    title: title(2),
    placeholder: isVariable ? "GIT_TOKEN" : "/run/secrets/git-token",
    prompt: isVariable
      ? t("Name of the environment variable with the token.")
      : t("Absolute path of the file with the token."),
    value: credentials.name,
    check: (text) => {
      if (isVariable) {
        return /^[A-Za-z_]\w*$/.test(text)
          ? undefined
          : t("Enter the name of a variable, not the token itself.");
      }
      return /^(?:\/|[A-Za-z]:[\\/])/.test(text) ? undefined : t("Enter an absolute path.");
    },
    ...position,
  });
  return typeof name === "string" ? { ...answers, credentials: { ...credentials, name } } : name;
};

const askUser: Step<Answers> = async (answers, position) => {
  const { credentials, host } = answers;
  if (credentials === undefined || credentials.kind === "none" || host?.needsUser !== true) return skip;
  const user = await textStep({
    title: title(2),
    placeholder: "svc-search",
    prompt: vscode.l10n.t("Name of the user that the token belongs to."),
    value: credentials.user ?? "",
    check: (text) =>
      text === "" || text.includes(":") ? vscode.l10n.t("Enter a user name without a colon.") : undefined,
    ...position,
  });
  return typeof user === "string" ? { ...answers, credentials: { ...credentials, user } } : user;
};

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

const steps = [askType, askAddress, askSignIn, askToken, askUser, askScope, askNames];

/** Returns the name of the new connection; `undefined` if the user canceled. */
export async function addHost(options: AddHostOptions): Promise<string | undefined> {
  const taken = await options.names();
  let answers = await askSteps<Answers>(steps, {});
  for (;;) {
    if (answers === undefined) return undefined;
    const host = complete(answers);
    const name = connectionName(host.address ?? "https://bitbucket.org", taken);
    const settings = settingsOf(host);
    const outcome = await check(options, name, settings);
    if (outcome === "cancel") return undefined;
    if (outcome === "add") {
      await options.service.call("addCodeHost", { name, settings });
      return name;
    }
    // The last step, from which the user can go back to the others.
    answers = await askSteps<Answers>(steps, answers, host.scope.example === undefined ? 5 : 6);
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
