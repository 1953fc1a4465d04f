/** Finds the calls of a document, and what tells which definition each of them refers to. */
import type { QueryMatch } from "web-tree-sitter";
import { escapeRegexp } from "#base/escapeRegexp";
import { Budget } from "#symbols/budget";
import { type ImportStatement, importsOf, importsOfPackage } from "#symbols/definitions/importStatements";
import type { CallSite } from "#symbols/symbols";
import type { Declarations } from "./declarations";
import { type MemberAccess, memberAccessBefore } from "./memberAccess";
import { occurrenceAt } from "./occurrences";
import { findLocal } from "./resolve";
import { TypeWords, wordsOfClassAt } from "./typeWords";
import { valueSourceOf } from "./valueSource";

const callsMs = 1000;
const sigil = /^(?:r#|[#@$])/;
const sigilWithoutDollar = /^(?:r#|[#@])/;

/** Returns the calls by ascending start, from the matches of the call query. Throws `BudgetSpent`. */
export function callsIn(
  matches: readonly QueryMatch[],
  declarations: Declarations,
  statements: readonly ImportStatement[],
): CallSite[] {
  const budget = new Budget(callsMs);
  const { source, rules } = declarations;
  const marks = rules.hasDollars ? sigilWithoutDollar : sigil;
  const typeWords = new TypeWords(declarations);
  const calls = new Map<number, CallSite>();
  for (const { captures } of matches) {
    for (const { name: capture, node } of captures) {
      if (capture !== "call" || calls.has(node.startIndex)) continue;
      budget.check();
      const nameStart = node.startIndex + (marks.exec(node.text)?.[0].length ?? 0);
      const before = memberAccessBefore(node.startIndex, source.text, rules);
      const isConstruction =
        rules.constructsWithNew &&
        node.text === "new" &&
        before !== undefined &&
        /^\p{Lu}/u.test(before.object);
      const access = isConstruction ? undefined : before;
      const start = isConstruction ? before.objectAt : nameStart;
      const end = isConstruction ? start + before.object.length : node.endIndex;
      const written = source.text.slice(start, end);
      const leaf = isConstruction ? undefined : node;
      const { role, ...occurrence } = occurrenceAt({ start, end, leaf }, written, declarations);
      if (role !== "reference") continue;
      const declaredAt = source.indexAt(occurrence.declaredAt);
      const isDeclared = occurrence.declaredAt >= 0;
      const importing = isDeclared
        ? statements.find((each) => declaredAt >= each.start && declaredAt < each.end)
        : undefined;
      // A variable or parameter may contain any function.
      const isVariable =
        occurrence.isLocal &&
        importing === undefined &&
        declarations.definitionAt(occurrence.declaredAt) === undefined;
      if (isVariable) continue;
      const isKnown = isDeclared && importing === undefined;
      const isInferred = rules.infersTypes && access !== undefined && !isKnown;
      const value = isInferred ? valueSourceOf(access, declarations, statements) : undefined;
      calls.set(node.startIndex, {
        name: importing === undefined ? written : importedName(written, importing, source.text),
        start: occurrence.start,
        end: occurrence.end,
        declaredAt: isKnown ? occurrence.declaredAt : -1,
        ...(access === undefined ? {} : { receiver: access.object }),
        typeWords: isKnown
          ? []
          : access === undefined
            ? wordsOfClassAt(start, declarations)
            : typeWords.of(access, start),
        ...(value === undefined ? {} : { value }),
        imports: isKnown
          ? []
          : isInferred
            ? packageImports(access, declarations, statements)
            : importsOf(access?.object ?? written, statements),
      });
    }
  }
  return [...calls.values()].sort((left, right) => left.start - right.start);
}

/** Returns the name before `as` or `:` in an import that renames it. */
function importedName(written: string, { start, end }: ImportStatement, text: string): string {
  const renamed = new RegExp(
    `(?<![\\p{L}\\p{N}_$])([\\p{L}_$][\\p{L}\\p{N}_$]*)\\s*(?:\\bas\\b|=>|:)\\s*${escapeRegexp(written)}(?![\\p{L}\\p{N}_$])`,
    "u",
  );
  return renamed.exec(text.slice(start, end))?.[1] ?? written;
}

/** Returns no imports if the object is a variable or field that has the name of an imported package. */
function packageImports(
  { object, objectAt, isQualified }: MemberAccess,
  declarations: Declarations,
  statements: readonly ImportStatement[],
): readonly string[] {
  const local = findLocal(object, objectAt, false, declarations);
  const isAlias = statements.some(
    ({ start, end }) => local !== undefined && local.start >= start && local.start < end,
  );
  return isQualified || (local !== undefined && !isAlias) ? [] : importsOfPackage(object, statements);
}
