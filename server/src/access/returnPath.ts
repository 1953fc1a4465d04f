/** The page to which a browser returns after a login. It must be on this server. */

const maxCharacters = 1500;
/** Stands for this server: a path that leads away from it is not on this server. */
const base = "http://server.invalid";

/**
 * Returns a path and query on this server in normalized form; `/` if `text` is anything else, such as a URL that leads to
 * another server, or one of the pages of the login itself.
 */
export function parseReturnPath(text: string): string {
  // Browsers treat a backslash as a slash, and drop tabs and line breaks.
  if (text.length > maxCharacters || !/^\/(?![/\\])/.test(text) || /[\\\p{Cc}\p{Cs}]/u.test(text)) return "/";
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  if (url === undefined || url.origin !== base) return "/";
  const { pathname, search } = url;
  if (pathname.startsWith("//") || /^\/(?:login|logout)(?:\/|$)/.test(pathname)) return "/";
  const path = pathname + search;
  return path.length > maxCharacters ? "/" : path;
}
