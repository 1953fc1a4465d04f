/** The suggestions below the search box, as a list that its script takes over. */
import { fragment, type PageResponse, type ServiceContext } from "./context";
import { html } from "./html";
import { queryParameters } from "./pageUrl";
import { parseSearchUrl } from "./searchUrl";

const maxItems = 10;

/** `?q=QUERY&offset=CURSOR&regex=1`. Suggests nothing where no word has been started. */
export async function completionList({ caller, call }: ServiceContext, url: string): Promise<PageResponse> {
  const parameters = queryParameters(url);
  // Spaces at the end matter here.
  const query = parameters.get("q") ?? "";
  const offset = Number(parameters.get("offset") ?? query.length);
  const { isRegex: isRegexEnabled } = parseSearchUrl(url);
  const completions = await caller("completeQuery", { query, offset, isRegexEnabled, limit: maxItems }, call);
  const { offset: start, length } = completions;
  const typed = query.slice(start, start + length);
  const isStarted = /\S$/.test(query.slice(0, offset));
  const suggested = isStarted ? completions.items.filter(({ text }) => text !== typed) : [];
  const items = suggested.map(
    ({ label, text, detail }, at) =>
      html`<li role="option" id="completion-${at}" data-text="${text}" aria-selected="false"><bdi>${label}</bdi> <span class="dim">${detail}</span></li>\n`,
  );
  return fragment(
    "Suggestions",
    html`<ul id="completions" role="listbox" aria-label="Suggestions" data-start="${start}" data-length="${length}">${items}</ul>`,
  );
}
