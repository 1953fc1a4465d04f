/** Vue and Svelte: what is between `<script>` and `</script>`, with blanks in place of everything else. */

const opening = /<script(?=[\s>])[^>]{0,1000}>/gi;
const closing = /<\/script\s{0,100}>/gi;

export function onlyScripts(text: string): string {
  const parts: string[] = [];
  let from = 0;
  opening.lastIndex = 0;
  while (opening.exec(text) !== null) {
    const start = opening.lastIndex;
    closing.lastIndex = start;
    const end = closing.exec(text)?.index ?? text.length;
    parts.push(blank(text.slice(from, start)), text.slice(start, end));
    from = end;
    opening.lastIndex = end;
  }
  parts.push(blank(text.slice(from)));
  return parts.join("");
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, " ");
}
