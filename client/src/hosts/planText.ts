/** Prints what a listing of a code host changes. Pure: does not use VS Code. */
import { visible } from "#client/text/visible";
import type { CodeHostPlan } from "#contract/codeHosts";

/** The lines of longer lists are counted only. */
const maxLines = 10_000;

export function planText(name: string, plan: CodeHostPlan): string {
  const { account, scopes, listed, requests, problems, added, renamed, removed, excluded, kept } = plan;
  const list = (title: string, lines: readonly string[]) => {
    if (lines.length === 0) return [];
    const shown = lines.slice(0, maxLines).map((line) => `  ${visible(line)}`);
    const rest = lines.length > maxLines ? [`  … and ${lines.length - maxLines} more`] : [];
    return ["", `${title} (${lines.length})`, ...shown, ...rest];
  };
  const withReason = ({ path, reason }: { readonly path: string; readonly reason: string }) =>
    `${path}: ${reason}`;
  return [
    `Plan of ${name}`,
    "",
    ...(account === undefined ? [] : [`Signed in as ${visible(account)}`]),
    `${countOf(listed, "repository", "repositories")} listed with ${countOf(requests, "request", "requests")}`,
    `${kept} mirrored already, ${added.length} to add, ${removed.length} to remove, ${excluded.length} excluded`,
    ...(plan.unconfirmed === 0
      ? []
      : [`${plan.unconfirmed} disappeared at once and are kept until you confirm their removal`]),
    ...list(
      "Problems",
      problems.map(({ scope, message }) => (scope === undefined ? message : `${scope}: ${message}`)),
    ),
    ...list("To add", added),
    ...list(
      "To rename",
      renamed.map(({ from, to }) => `${from} -> ${to}`),
    ),
    ...list("To remove", removed.map(withReason)),
    ...list("Excluded", excluded.map(withReason)),
    ...list(
      "Scopes",
      scopes.map(({ scope, outcome }) => `${scope}: ${outcome}`),
    ),
    "",
  ].join("\n");
}

function countOf(value: number, one: string, many: string): string {
  return `${value} ${value === 1 ? one : many}`;
}
