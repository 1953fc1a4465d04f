/** The page where users choose how pages look. Each choice is a button, which needs no script. */
import { okPage, type PageResponse, type ServiceContext } from "./context";
import { type Html, html } from "./html";
import { renderLayout } from "./pageLayout";
import { siteBar } from "./siteBar";
import { contextChoices, themes } from "./viewSettings";

const themeLabels = { system: "System", light: "Light", dark: "Dark" } as const;

export function settingsPage(context: ServiceContext): PageResponse {
  const { base, settings } = context;
  const { theme, contextLines } = settings;
  const content = html`<form method="post">
${group(base, "Theme", "theme", themes, theme, (each) => themeLabels[each])}
${group(base, "Lines of context around matches", "contextLines", contextChoices, contextLines, String)}
</form>
<p class="dim">This browser remembers what you choose.</p>`;
  return okPage(renderLayout({ title: "Settings", bar: siteBar(context, "./"), content }));
}

function group<Choice extends string | number>(
  base: string,
  title: string,
  name: string,
  choices: readonly Choice[],
  chosen: Choice,
  label: (choice: Choice) => string,
): Html {
  const buttons = choices.map(
    (each) =>
      html`<button formaction="${base}/settings?${name}=${each}" aria-pressed="${String(each === chosen)}">${label(each)}</button>\n`,
  );
  return html`<fieldset><legend>${title}</legend>\n${buttons}</fieldset>`;
}
