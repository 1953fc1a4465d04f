/** VS Code's kinds of themes, and screenshots in each of them. */
import { type CodeServer, changeSettings } from "#e2e/driver/codeServer";
import type { Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

/** For each kind, the name of a theme and the CSS class that the workbench then has. */
export const themes = {
  dark: ["Default Dark Modern", "vs-dark"],
  light: ["Default Light Modern", "vs"],
  "high-contrast": ["Default High Contrast", "hc-black"],
  "high-contrast-light": ["Default High Contrast Light", "hc-light"],
} as const;

/** Takes a screenshot in each theme, named `NAME-dark` and so on; the dark theme stays active. */
export async function shootThemes(window: Window, server: CodeServer, name: string): Promise<void> {
  const show = async ([theme, kind]: readonly [theme: string, kind: string]) => {
    const workbench = window.page.locator(`.monaco-workbench.${kind}`);
    // VS Code watches a replaced file again only after some time, and misses changes until then.
    await eventually(async () => {
      changeSettings(server, { "workbench.colorTheme": theme });
      return await workbench.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
    });
  };
  for (const [kind, theme] of Object.entries(themes)) {
    await show(theme);
    await window.shot(`${name}-${kind}`);
  }
  await show(themes.dark);
}
