/**
 * Whether Trawl's language server is heard about a document: on files as they stood in a commit always, on local files
 * as `trawl.navigation.localFiles` says. With `fallback` only where nobody else has an answer, so that no definition is
 * listed twice beside a real language server.
 *
 * The editor asks all providers at once and tells none of the others' answers. So, before ours is given, the same is
 * asked once more, and ours keeps silent that time.
 */
import * as vscode from "vscode";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import { snapshotScheme } from "#contract/snapshotUri";
import { type AskOutline, LocalOutlines, type Outline } from "./localOutlines";
import { placeAt } from "./nameAtCursor";

export type Feature = "definition" | "references" | "hover";

const commands: Readonly<Record<Feature, string>> = {
  definition: "vscode.executeDefinitionProvider",
  references: "vscode.executeReferenceProvider",
  hover: "vscode.executeHoverProvider",
};

/** Fewer letters are in every name. */
const queryAtLeast = 2;

/** A question to the others, until it has come to ours as well. */
interface Probe {
  readonly key: string;
}

export class NativeFirst implements vscode.Disposable {
  readonly #service: () => Pick<ServiceClient, "call">;
  readonly #probes = new Set<Probe>();
  readonly #outlines = new LocalOutlines();

  constructor(service: () => Pick<ServiceClient, "call">) {
    this.#service = service;
  }

  dispose(): void {
    this.#outlines.dispose();
  }

  /** What `ask` gives, or nothing where Trawl is not to be heard. */
  async at<Answer>(
    feature: Feature,
    document: vscode.TextDocument,
    position: vscode.Position,
    ask: () => vscode.ProviderResult<Answer>,
  ): Promise<Answer | undefined> {
    if (document.uri.scheme === snapshotScheme) {
      const answer = (await ask()) ?? undefined;
      if (feature === "definition" && isNothing(answer)) void this.#sayWhy(document, position);
      return answer;
    }
    const mode = setting("navigation.localFiles", document);
    if (mode === "off") return undefined;
    const key = `${feature} ${document.uri} ${position.line}:${position.character}`;
    const probe = [...this.#probes].find((each) => each.key === key);
    if (probe !== undefined) {
      this.#probes.delete(probe);
      return undefined;
    }
    if (mode === "fallback" && (await this.#othersAnswer(feature, document, position, key))) return undefined;
    return (await ask()) ?? undefined;
  }

  async outline(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
    ask: AskOutline,
  ): Promise<Outline | undefined> {
    if (document.uri.scheme === snapshotScheme) return (await ask(token)) ?? undefined;
    switch (setting("navigation.localFiles", document)) {
      case "off":
        return undefined;
      case "fallback":
        return await this.#outlines.of(document, token, ask);
      case "always":
        return (await ask(token)) ?? undefined;
    }
  }

  async workspaceSymbols<Answer>(
    query: string,
    ask: () => vscode.ProviderResult<Answer>,
  ): Promise<Answer | undefined> {
    const isHeard = setting("navigation.workspaceSymbols") && query.trim().length >= queryAtLeast;
    return isHeard ? ((await ask()) ?? undefined) : undefined;
  }

  async #othersAnswer(
    feature: Feature,
    { uri }: vscode.TextDocument,
    position: vscode.Position,
    key: string,
  ): Promise<boolean> {
    const probe: Probe = { key };
    this.#probes.add(probe);
    try {
      return !isNothing(await vscode.commands.executeCommand(commands[feature], uri, position));
    } catch {
      // Whoever fails has no answer.
      return false;
    } finally {
      this.#probes.delete(probe);
    }
  }

  /** The editor only says that there is no definition. */
  async #sayWhy(document: vscode.TextDocument, position: vscode.Position): Promise<void> {
    const place = placeAt(document, position);
    if (place === undefined) return;
    const { reason, language } = await this.#service().call("symbolAt", { place });
    const why = reasonText(reason, language);
    if (why !== undefined) vscode.window.setStatusBarMessage(why, 5000);
  }
}

function reasonText(reason: string | undefined, language: string): string | undefined {
  switch (reason) {
    case "noGrammar":
      return language === ""
        ? vscode.l10n.t("Trawl does not know the language of this file.")
        : vscode.l10n.t("Trawl has no symbols of {0}.", language);
    case "tooLarge":
      return vscode.l10n.t("This file is too large to be parsed.");
    case "tooSlow":
    case "crashed":
      return vscode.l10n.t("This file could not be parsed.");
    default:
      return undefined;
  }
}

function isNothing(answer: unknown): boolean {
  return answer === undefined || answer === null || (Array.isArray(answer) && answer.length === 0);
}
