/** VS Code's kinds of themes, and screenshots in each of them. */
import type { FrameLocator } from "playwright-core";
import { type CodeServer, changeSettings } from "#e2e/driver/codeServer";
import type { Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

/** For each kind, the name of a theme and the CSS classes that the workbench and webviews then have. */
export const themes = {
  dark: ["Default Dark Modern", "vs-dark", "vscode-dark"],
  light: ["Default Light Modern", "vs", "vscode-light"],
  "high-contrast": ["Default High Contrast", "hc-black", "vscode-high-contrast"],
  "high-contrast-light": ["Default High Contrast Light", "hc-light", "vscode-high-contrast-light"],
} as const;

export type Theme = keyof typeof themes;
export const themeNames = Object.keys(themes) as readonly Theme[];

/** Changes the theme, and waits until the workbench and `webview` show it. */
export async function applyTheme(
  window: Window,
  server: CodeServer,
  theme: Theme,
  webview?: FrameLocator,
): Promise<void> {
  const [name, workbenchClass, webviewClass] = themes[theme];
  const workbench = window.page.locator(`.monaco-workbench.${workbenchClass}`);
  // VS Code watches a replaced file again only after some time, and misses changes until then.
  await eventually(async () => {
    changeSettings(server, { "workbench.colorTheme": name });
    return await workbench.waitFor({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
  });
  // Webviews change their colors later than the workbench.
  const body = webview?.locator(`body[data-vscode-theme-kind="${webviewClass}"]`);
  await body?.waitFor({ state: "attached" });
}

/** Takes a screenshot in each theme, named `NAME-dark` and so on; the dark theme stays active. */
export async function shootThemes(window: Window, server: CodeServer, name: string): Promise<void> {
  for (const theme of themeNames) {
    await applyTheme(window, server, theme);
    await window.shot(`${name}-${theme}`);
  }
  await applyTheme(window, server, "dark");
}
