/** What a user has chosen about the pages. A cookie keeps it, so that pages are rendered with it from the start. */

export const themes = ["system", "light", "dark"] as const;
/** Lines of context above and below a match. */
export const contextChoices = [0, 1, 3, 5, 10] as const;

export interface ViewSettings {
  readonly theme: (typeof themes)[number];
  readonly contextLines: (typeof contextChoices)[number];
}

export const defaultSettings: ViewSettings = { theme: "system", contextLines: 1 };

/** Parses settings such as `dark.3`. What is missing or wrong has its default. */
export function parseViewSettings(text = ""): ViewSettings {
  const [theme, contextLines] = text.split(".");
  return changedSettings(defaultSettings, { theme, contextLines });
}

export function formatViewSettings({ theme, contextLines }: ViewSettings): string {
  return `${theme}.${contextLines}`;
}

/** Returns the settings with those of `change` that are valid. */
export function changedSettings(
  { theme, contextLines }: ViewSettings,
  change: { readonly theme?: string | undefined; readonly contextLines?: string | undefined },
): ViewSettings {
  return {
    theme: themes.find((each) => each === change.theme) ?? theme,
    contextLines: contextChoices.find((each) => String(each) === change.contextLines) ?? contextLines,
  };
}
