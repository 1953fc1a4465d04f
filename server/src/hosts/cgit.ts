/** Reads the pages on which cgit lists its repositories. */
import { HostFailure } from "./failure";

export interface CgitPage {
  /** Where the links to repositories lead; `undefined` for a row whose link cannot be read. */
  readonly links: readonly (string | undefined)[];
  readonly next?: string;
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** `url`: that of the page. Throws `HostFailure` if it is not a complete index page, such as a page to sign in. */
export function readCgitPage(html: string, url: string): CgitPage {
  const list = html.indexOf("<table summary='repository list'");
  if (list < 0 || !html.includes("<!-- id=cgit -->", list))
    throw new HostFailure({ message: "The page is not an index of cgit, or not complete." });
  const rows = html
    .slice(list)
    .split(/(?<=<td class='(?:top|sub)level-repo'>)/)
    .slice(1);
  const links = rows.map((row) => {
    const [, href] = /^<a(?: (?:title|class)='[^']*')* href='([^'<>]{1,4000})'/.exec(row) ?? [];
    return href === undefined ? undefined : resolved(href, url);
  });
  const offsets = [...html.slice(list).matchAll(/ href='([^'<>]{0,4000}[?;&]ofs=(\d{1,9}))'>\[/g)];
  const current = Number(new URL(url).searchParams.get("ofs") ?? 0);
  const following = offsets.map(([, , offset]) => Number(offset)).filter((offset) => offset > current);
  if (following.length === 0) return { links };
  const next = new URL(url);
  next.searchParams.set("ofs", String(Math.min(...following)));
  return { links, next: next.href };
}

function resolved(href: string, url: string): string | undefined {
  const text = href.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity);
  return URL.canParse(text, url) ? new URL(text, url).href : undefined;
}
