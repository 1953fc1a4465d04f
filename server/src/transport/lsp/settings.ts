/** What an editor says that it is set to, read with care: one bad value must not take the others with it. */
import type * as z from "zod";
import { EditorSettings } from "#contract/settings";

export interface ReadSettings {
  readonly settings: EditorSettings;
  /** A sentence for each value that was left out. */
  readonly complaints: readonly string[];
}

/** Takes the settings themselves, or an object that has them as `settings`; anything else is none. */
export function readSettings(value: unknown): ReadSettings {
  const given = record(record(value)["settings"] ?? value);
  const complaints: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(EditorSettings.shape)) {
    const sent = given[name];
    if (sent === undefined || sent === null) continue;
    const checked = field.safeParse(sent);
    if (checked.success) settings[name] = checked.data;
    else complaints.push(...checked.error.issues.map((issue) => complaint(name, issue)));
  }
  return { settings: settings as EditorSettings, complaints };
}

function complaint(name: string, issue: z.core.$ZodIssue): string {
  const place = [name, ...issue.path.map(String)].join(".");
  return `The setting "${place}" does not count: ${issue.message}.`;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
