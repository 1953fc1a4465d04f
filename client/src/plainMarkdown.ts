/** What others wrote, in Markdown. Pure: knows no VS Code. */
import { visible } from "./search/resultLines";

/**
 * Text that stays text: neither marks nor addresses in it become anything else. (`appendText` leaves addresses alone,
 * of which links are made then.)
 */
export function plainMarkdown(text: string): string {
  return visible(text).replace(/[^\p{L}\p{M}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`);
}
