/** HTML templates that escape their parts, except parts that are templates themselves. */

/** Trusted markup. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = Html | string | number | undefined | readonly HtmlPart[];

/** `html\`<b>${text}</b>\``: escapes the parts, concatenates lists, and omits `undefined`. */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(texts.map((text, at) => (at === 0 ? text : render(parts[at - 1]) + text)).join(""));
}

function render(part: HtmlPart): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  return isList(part) ? part.map(render).join("") : escapeText(String(part));
}

function isList(part: HtmlPart): part is readonly HtmlPart[] {
  return Array.isArray(part);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes for text and quoted attributes. Control characters, which HTML forbids, become control pictures. */
export function escapeText(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? "")
    .replace(controls, (character) => String.fromCodePoint(0x2400 + (character.codePointAt(0) ?? 0)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const controls = /[\u0000-\u0008\u000b-\u001f]/g;

/** Bidirectional overrides, which can make code look different from what it does. */
const directionMarks = /[\u202a-\u202e\u2066-\u2069]/;

export function hasDirectionMarks(text: string): boolean {
  return directionMarks.test(text);
}
