/** What the pages about the organisation have in common: what they say while there is nothing to show. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import { curlLine, getCall } from "#client/search/apiCall";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import type { TableNote } from "#webview/tableMessages";
import type { LicenseState } from "./license";

/** Names of the buttons that the notes have. */
export const again = "again";
export const enterLicense = "enterLicense";

export function loadingNote(): TableNote {
  return { severity: "plain", text: vscode.l10n.t("Loading..."), actions: [] };
}

/** Why nothing can be shown, with the way to mend it. */
export async function failureNote(error: unknown, license: LicenseState): Promise<TableNote> {
  const { errorCode, message } = callError(error);
  if (errorCode !== "LICENSE_REQUIRED") {
    return {
      severity: "error",
      text: message,
      actions: [{ title: vscode.l10n.t("Try Again"), name: again }],
    };
  }
  const said = await license.look().catch(() => message);
  // A licence that counts may not open this.
  const text = license.isValid ? message : said;
  const action = { title: vscode.l10n.t("Enter License Key..."), name: enterLicense };
  return { severity: "error", text, actions: [action] };
}

/** Copies what gives the same over REST. Only an owner's key is let in, and it is no part of the line. */
export async function copyCall(
  service: Pick<ServiceClient, "call">,
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<void> {
  const instance = await service.call("instance", {}).catch(() => undefined);
  const address = instance?.url ?? `http://127.0.0.1:${setting("api.port")}`;
  const line = `${curlLine(address, getCall(path, query))} -H "Authorization: Bearer $TRAWL_API_KEY"`;
  await vscode.env.clipboard.writeText(line);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied as a call of the REST interface."), 5000);
}
