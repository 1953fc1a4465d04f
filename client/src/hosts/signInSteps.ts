/** The steps of "Add Code Host..." that ask how to sign in. */
import * as vscode from "vscode";
import { CallError } from "#client/server/callError";
import { showFailure } from "#client/workbench/commands";
import { type HostTokens, sessionProviderOf } from "./hostTokens";
import type { Credentials, HostAnswers } from "./hostTypes";
import { back, pickStep, type Step, skip, textStep } from "./steps";

export type Answers = { -readonly [Field in keyof HostAnswers]?: HostAnswers[Field] };

const title = () => vscode.l10n.t("Add Code Host ({0} of 3)", 2);

export const askSignIn: Step<Answers> = async (answers, position) => {
  const { t } = vscode.l10n;
  const { address, host } = answers;
  const provider = host?.type === "github" && address !== undefined ? sessionProviderOf(address) : undefined;
  const items: readonly (vscode.QuickPickItem & { readonly source: Credentials["kind"] })[] = [
    ...(provider === undefined
      ? []
      : [
          {
            label: t("Sign In with GitHub"),
            description: t("with an account of VS Code"),
            source: "session" as const,
          },
        ]),
    { label: t("Paste Token"), description: t("kept in VS Code's secret storage"), source: "secret" },
    {
      label: t("Environment Variable"),
      description: t("of the process that starts the search server"),
      source: "env",
    },
    { label: t("File"), description: t("that contains only the token"), source: "file" },
    { label: t("No Credentials"), description: t("only public repositories"), source: "none" },
  ];
  const active = items.find(({ source }) => source === answers.credentials?.kind)?.label;
  const placeholder = t("How do you sign in?");
  const picked = await pickStep(items, { title: title(), placeholder, active, ...position });
  if (picked === undefined || picked === back) return picked;
  if (picked.source === answers.credentials?.kind) return answers;
  return { ...answers, credentials: emptyCredentials(picked.source, provider) };
};

function emptyCredentials(
  source: Credentials["kind"],
  provider: ReturnType<typeof sessionProviderOf>,
): Credentials {
  switch (source) {
    case "none":
      return { kind: "none" };
    case "secret":
      return { kind: "secret", token: "" };
    case "session":
      return provider === undefined ? { kind: "none" } : { kind: "session", provider };
    case "env":
    case "file":
      return { kind: source, name: "" };
  }
}

export function askToken(tokens: Pick<HostTokens, "signIn">): Step<Answers> {
  return async (answers, position) => {
    const { credentials } = answers;
    switch (credentials?.kind) {
      case "session":
        // Skipped, so that going back from the next step does not sign in again.
        return await tokens.signIn(credentials.provider).then(
          () => skip,
          (error: unknown) => {
            // Any other error means that the user canceled.
            if (error instanceof CallError) showFailure(error.message);
            return back;
          },
        );
      case "secret": {
        const token = await askSecret(title(), credentials.token, position);
        return typeof token === "string" ? { ...answers, credentials: { ...credentials, token } } : token;
      }
      case "env":
      case "file": {
        const name = await askReference(credentials, position);
        return typeof name === "string" ? { ...answers, credentials: { ...credentials, name } } : name;
      }
      default:
        return skip;
    }
  };
}

/** Asks for a token without showing it. */
export function askSecret(
  stepTitle: string,
  value: string,
  position: Parameters<Step<Answers>>[1],
): Promise<string | typeof back | undefined> {
  const { t } = vscode.l10n;
  return textStep({
    title: stepTitle,
    placeholder: "",
    prompt: t("Access token. It is kept in VS Code's secret storage, and sent only to this host."),
    value,
    isSecret: true,
    check: (text) => (text === "" || /\p{Cc}/u.test(text) ? t("Enter the token.") : undefined),
    ...position,
  });
}

function askReference(
  { kind, name }: Extract<Credentials, { readonly name: string }>,
  position: Parameters<Step<Answers>>[1],
): Promise<string | typeof back | undefined> {
  const isVariable = kind === "env";
  const { t } = vscode.l10n;
  return textStep({
    title: title(),
    placeholder: isVariable ? "GIT_TOKEN" : "/run/secrets/git-token",
    prompt: isVariable
      ? t("Name of the environment variable with the token.")
      : t("Absolute path of the file with the token."),
    value: name,
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
}

export const askUser: Step<Answers> = async (answers, position) => {
  const { credentials, host } = answers;
  if (credentials === undefined || host?.needsUser !== true) return skip;
  if (credentials.kind === "none" || credentials.kind === "session") return skip;
  const user = await textStep({
    title: title(),
    placeholder: "svc-search",
    prompt: vscode.l10n.t("Name of the user that the token belongs to."),
    value: credentials.user ?? "",
    check: (text) =>
      text === "" || text.includes(":") ? vscode.l10n.t("Enter a user name without a colon.") : undefined,
    ...position,
  });
  return typeof user === "string" ? { ...answers, credentials: { ...credentials, user } } : user;
};
