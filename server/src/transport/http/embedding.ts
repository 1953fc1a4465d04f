/** Which pages may be embedded, and by whom. Embedding lets another page make its user click what they do not see. */

/** The pages that change nothing but how pages look: not logins, sessions, or the approval of an editor's login. */
const embeddablePages = /^\/(?:$|(?:repositories|syntax|settings)$|browse\/)/;

/**
 * VS Code's Simple Browser is a page of these schemes, which only Electron has: no website can be one, and an extension
 * that is one can do more without a page.
 */
const editorSchemes = ["vscode-webview:", "vscode-file:"];

/** The origins that a policy can name. Others, such as those with `;` in their host, would change it. */
const originSyntax = /^[a-z][a-z\d+.-]*:\/\/[\w.:[\]-]+$/i;

/**
 * Returns the directive of a `Content-Security-Policy` that says who may embed the page at a path: desktop editors, and
 * the configured origins, for editors in a browser. `path` is undefined for a page of somebody who is logged in, and for
 * one that asks to log in.
 */
export function frameAncestors(path: string | undefined, allowedOrigins: Iterable<string>): string {
  const embedders =
    path !== undefined && embeddablePages.test(path)
      ? [...editorSchemes, ...[...allowedOrigins].filter((origin) => originSyntax.test(origin))]
      : ["'none'"];
  return `frame-ancestors ${embedders.join(" ")}`;
}
