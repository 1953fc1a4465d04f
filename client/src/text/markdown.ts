/** Untrusted text as Markdown. Pure: does not use VS Code. */
import { visible } from "./visible";

/** Escapes text for Markdown, including URLs, which `appendText` would leave to become links. */
export function plainMarkdown(text: string): string {
  return visible(text).replace(/[^\p{L}\p{M}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** Returns a Markdown code block that its text cannot break out of. `language` may be any text. */
export function codeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const name = language.toLowerCase().replace(/[^a-z0-9+#-]/g, "");
  return `${fence}${name}\n${text.replace(/\r\n?|[\u2028\u2029]/g, "\n")}\n${fence}\n`;
}
