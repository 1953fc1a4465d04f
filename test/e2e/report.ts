/** The test results of a spec. */

export interface TestResult {
  readonly title: string;
  readonly isPassed: boolean;
  /** Milliseconds. */
  readonly duration: number;
  readonly error?: string;
}

export interface Report {
  readonly tests: readonly TestResult[];
  /** Measurements, as sentences. */
  readonly notes: readonly string[];
}

export interface Outcome extends Report {
  /** Reasons other than failed tests why the suite is red. */
  readonly problems: readonly string[];
}

export function isRed({ tests, problems }: Outcome): boolean {
  return problems.length > 0 || tests.length === 0 || tests.some(({ isPassed }) => !isPassed);
}

const notesKey = Symbol.for("trawl.e2e.notes");
const globals = globalThis as unknown as Record<symbol, string[] | undefined>;

/** Adds a measurement to the report. */
export function note(text: string): void {
  globals[notesKey] ??= [];
  globals[notesKey].push(text);
}

export function takeNotes(): readonly string[] {
  const notes = globals[notesKey] ?? [];
  globals[notesKey] = [];
  return notes;
}
