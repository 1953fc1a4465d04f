/** What is known of the tests of a spec when it is through. */

export interface TestResult {
  readonly title: string;
  readonly isPassed: boolean;
  /** Milliseconds. */
  readonly duration: number;
  readonly error?: string;
}

export interface Report {
  readonly tests: readonly TestResult[];
  /** What was measured, in words. */
  readonly notes: readonly string[];
}

export interface Outcome extends Report {
  /** Why it is red although no test says so. */
  readonly problems: readonly string[];
}

export function isRed({ tests, problems }: Outcome): boolean {
  return problems.length > 0 || tests.length === 0 || tests.some(({ isPassed }) => !isPassed);
}

const notesKey = Symbol.for("trawl.e2e.notes");
const place = globalThis as unknown as Record<symbol, string[] | undefined>;

/** Puts a measurement into the report. */
export function note(text: string): void {
  place[notesKey] ??= [];
  place[notesKey].push(text);
}

export function takeNotes(): readonly string[] {
  const notes = place[notesKey] ?? [];
  place[notesKey] = [];
  return notes;
}
