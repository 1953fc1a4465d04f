/** Shared by the pages about the organization: notes for loading and errors, and copying a REST call. */
import * as vscode from "vscode";
import { curlLine, getCall } from "#client/server/apiCall";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { setting } from "#client/workbench/settings";
import type { TableNote } from "#webview/tableMessages";
import type { LicenseState } from "./license";

/** Names of the buttons in notes. */
export const retryAction = "retry";
export const enterLicenseAction = "enterLicense";

export function loadingNote(): TableNote {
  return { severity: "plain", text: vscode.l10n.t("Loading..."), actions: [] };
}

/** Returns a note with the error, and a button to retry or to enter a license key. */
export async function failureNote(error: unknown, license: LicenseState): Promise<TableNote> {
  const { errorCode, message } = callError(error);
  if (errorCode !== "LICENSE_REQUIRED") {
    return {
      severity: "error",
      text: message,
      actions: [{ title: vscode.l10n.t("Try Again"), name: retryAction }],
    };
  }
  const state = await license.refresh().catch(() => message);
  // A valid license may lack this feature; the error says so.
  const text = license.isValid ? message : state;
  const action = { title: vscode.l10n.t("Enter License Key..."), name: enterLicenseAction };
  return { severity: "error", text, actions: [action] };
}

/** Copies the equivalent REST call. It requires an owner's key, which is not part of the copied text. */
export async function copyCall(
  service: Pick<ServiceClient, "call">,
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<void> {
  const instance = await service.call("instance", {}).catch(() => undefined);
  const baseUrl = instance?.url ?? `http://127.0.0.1:${setting("api.port")}`;
  const line = `${curlLine(baseUrl, getCall(path, query))} -H "Authorization: Bearer $TRAWL_API_KEY"`;
  await vscode.env.clipboard.writeText(line);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied as a curl command for the REST interface."), 5000);
}
