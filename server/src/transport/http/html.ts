/**
 * Pages as text in which nothing but our own words is markup: whatever is put into a template is escaped, unless it is
 * itself made by one.
 */

/** Markup, made here. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Html | string | number | undefined | readonly Part[];

/** `html\`<b>${text}</b>\``: the parts in between are escaped, lists one behind the other, `undefined` is nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, at) => (at === 0 ? text : printed(parts[at - 1]) + text)).join(""));
}

function printed(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  return isList(part) ? part.map(printed).join("") : escapeText(String(part));
}

function isList(part: Part): part is readonly Part[] {
  return Array.isArray(part);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Safe in text and between quotes. Control characters, which no page may hold, become pictures of themselves. */
export function escapeText(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? "")
    .replace(controls, (character) => String.fromCodePoint(0x2400 + (character.codePointAt(0) ?? 0)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const controls = /[\u0000-\u0008\u000b-\u001f]/g;

/** They change the direction of what follows, so that code may read other than it runs. */
const directionMarks = /[\u202a-\u202e\u2066-\u2069]/;

export function hasDirectionMarks(text: string): boolean {
  return directionMarks.test(text);
}
