/**
 * Which specs run by default: all in the newest VS Code and the host specs in older ones too, with the packaged extension.
 * Further runs need a reason, which is stated here. Nothing is skipped if a version, a way to load the extension, or words
 * of specs are given.
 */

/** UI specs that run in older versions too. */
const inOlderVersions: Readonly<Record<string, string>> = {
  "ui/workbench.ui":
    "the manifest is accepted, with all views; focus moves between webview, tree and editor, and keys with conditions",
};

/**
 * Host specs that run from source too, in this order, in one window. The others would load the same bundles from another
 * folder.
 */
const fromSource: Readonly<Record<string, string>> = {
  "host/activation.e2e": "finds the extension and its manifest",
  "host/server.e2e": "finds the server",
  "host/navigation.e2e": "the server finds its grammars",
};

export const runsInOlderVersions = (spec: string): boolean => Object.hasOwn(inOlderVersions, spec);

/** Returns those of the specs that run from source, as one group if there are any. */
export function groupSourceSpecs(specs: readonly string[]): readonly (readonly string[])[] {
  const group = Object.keys(fromSource).filter((spec) => specs.includes(spec));
  return group.length === 0 ? [] : [group];
}

/**
 * Host specs that share a window and its extension host, in this order: opening one takes longer than most specs. The
 * first two must not start Trawl's server, and the last one changes lines that others count.
 */
const sharedHosts: readonly (readonly string[])[] = [
  ["host/activation.e2e", "host/keys.e2e", "host/server.e2e"],
  [
    "host/search.e2e",
    "host/navigation.e2e",
    "host/outline.e2e",
    "host/documents.e2e",
    "host/agentTools.e2e",
    "host/browse.e2e",
    "host/history.e2e",
    "host/blame.e2e",
  ],
];

/** Returns groups of host specs; one that is not listed is a group by itself. */
export function groupHostSpecs(specs: readonly string[]): readonly (readonly string[])[] {
  const shared = sharedHosts
    .map((group) => group.filter((spec) => specs.includes(spec)))
    .filter((group) => group.length > 0);
  const alone = specs.filter((spec) => !sharedHosts.flat().includes(spec)).map((spec) => [spec]);
  return [...shared, ...alone];
}

/** Specs that the tables name; a renamed one would silently not run. */
export const namedSpecs: readonly string[] = [
  ...Object.keys(inOlderVersions),
  ...Object.keys(fromSource),
  ...sharedHosts.flat(),
];
