/**
 * Decides whether Trawl's language server answers requests about a document: always for files of a commit; for local
 * files as `trawl.navigation.localFiles` specifies. With `fallback`, it answers only if no other extension does, so that
 * definitions are not listed twice beside a native language server.
 *
 * VS Code sends a request to all providers at once, and none of them sees the results of the others. So before Trawl
 * answers, it sends VS Code the same request as a probe, to which it returns nothing itself.
 */
import * as vscode from "vscode";
import type { Feature, Outline, ProviderPolicy, RequestOutline } from "#client/server/providerPolicy";
import type { ServiceClient } from "#client/server/serviceClient";
import { setting } from "#client/workbench/settings";
import { snapshotScheme } from "#contract/snapshotUri";
import { LocalOutlines } from "./localOutlines";
import { codeLocationAt } from "./nameAtCursor";

const commands: Readonly<Record<Feature, string>> = {
  definition: "vscode.executeDefinitionProvider",
  references: "vscode.executeReferenceProvider",
  hover: "vscode.executeHoverProvider",
};

/** Shorter queries match almost every name. */
const minQueryLength = 2;

/** A probe sent to all providers, until it arrives at ours. */
interface Probe {
  readonly key: string;
}

export class NativeFirst implements ProviderPolicy, vscode.Disposable {
  readonly #service: () => Pick<ServiceClient, "call">;
  readonly #probes = new Set<Probe>();
  readonly #outlines = new LocalOutlines();

  constructor(service: () => Pick<ServiceClient, "call">) {
    this.#service = service;
  }

  dispose(): void {
    this.#outlines.dispose();
  }

  /** Returns the result of `request`, or nothing if Trawl should not answer. */
  async provide<Result>(
    feature: Feature,
    document: vscode.TextDocument,
    position: vscode.Position,
    request: () => vscode.ProviderResult<Result>,
  ): Promise<Result | undefined> {
    if (document.uri.scheme === snapshotScheme) {
      const result = (await request()) ?? undefined;
      if (feature === "definition" && isEmptyResult(result)) void this.#explainMissing(document, position);
      return result;
    }
    const mode = setting("navigation.localFiles", document);
    if (mode === "off") return undefined;
    const key = `${feature} ${document.uri} ${position.line}:${position.character}`;
    const probe = [...this.#probes].find((each) => each.key === key);
    if (probe !== undefined) {
      this.#probes.delete(probe);
      return undefined;
    }
    if (mode === "fallback" && (await this.#othersProvide(feature, document, position, key)))
      return undefined;
    return (await request()) ?? undefined;
  }

  async callHierarchy<Result>(
    document: vscode.TextDocument,
    request: () => vscode.ProviderResult<Result>,
  ): Promise<Result | undefined> {
    const isSnapshot = document.uri.scheme === snapshotScheme;
    if (!isSnapshot && setting("navigation.localFiles", document) === "off") return undefined;
    return (await request()) ?? undefined;
  }

  async outline(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
    request: RequestOutline,
  ): Promise<Outline | undefined> {
    if (document.uri.scheme === snapshotScheme) return (await request(token)) ?? undefined;
    switch (setting("navigation.localFiles", document)) {
      case "off":
        return undefined;
      case "fallback":
        return await this.#outlines.of(document, token, request);
      case "always":
        return (await request(token)) ?? undefined;
    }
  }

  async workspaceSymbols<Result>(
    query: string,
    request: () => vscode.ProviderResult<Result>,
  ): Promise<Result | undefined> {
    const isEnabled = setting("navigation.workspaceSymbols") && query.trim().length >= minQueryLength;
    return isEnabled ? ((await request()) ?? undefined) : undefined;
  }

  async #othersProvide(
    feature: Feature,
    { uri }: vscode.TextDocument,
    position: vscode.Position,
    key: string,
  ): Promise<boolean> {
    const probe: Probe = { key };
    this.#probes.add(probe);
    try {
      return !isEmptyResult(await vscode.commands.executeCommand(commands[feature], uri, position));
    } catch {
      // A provider that fails has no result.
      return false;
    } finally {
      this.#probes.delete(probe);
    }
  }

  /** Shows why there is no definition, which VS Code does not. */
  async #explainMissing(document: vscode.TextDocument, position: vscode.Position): Promise<void> {
    const location = codeLocationAt(document, position);
    if (location === undefined) return;
    const { reason, language } = await this.#service().call("symbolAt", { place: location });
    const text = reasonText(reason, language);
    if (text !== undefined) vscode.window.setStatusBarMessage(text, 5000);
  }
}

function reasonText(reason: string | undefined, language: string): string | undefined {
  switch (reason) {
    case "noGrammar":
      return language === ""
        ? vscode.l10n.t("Trawl does not recognize the language of this file.")
        : vscode.l10n.t("Trawl does not support symbols in {0}.", language);
    case "tooLarge":
      return vscode.l10n.t("This file is too large to be parsed.");
    case "tooSlow":
    case "crashed":
      return vscode.l10n.t("This file could not be parsed.");
    default:
      return undefined;
  }
}

function isEmptyResult(result: unknown): boolean {
  return result === undefined || result === null || (Array.isArray(result) && result.length === 0);
}
