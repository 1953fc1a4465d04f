/** Blanks everything outside of `<script>` elements, for Vue and Svelte, so that offsets do not change. */

const opening = /<script(?=[\s>])[^>]{0,1000}>/gi;
const closing = /<\/script\s{0,100}>/gi;

export function blankMarkup(text: string): string {
  const parts: string[] = [];
  let from = 0;
  opening.lastIndex = 0;
  while (opening.exec(text) !== null) {
    const start = opening.lastIndex;
    closing.lastIndex = start;
    const end = closing.exec(text)?.index ?? text.length;
    parts.push(toSpaces(text.slice(from, start)), text.slice(start, end));
    from = end;
    opening.lastIndex = end;
  }
  parts.push(toSpaces(text.slice(from)));
  return parts.join("");
}

function toSpaces(text: string): string {
  return text.replace(/[^\r\n]/g, " ");
}
