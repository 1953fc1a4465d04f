import { browseUrl } from "#service/repositories/webLinks";
import { type PageContext, type PageResponse, refOf } from "./context";

/**
 * Returns the bytes of a file. Its content is hostile: browsers show it as plain text or download it, and never run it.
 */
export async function rawFile(context: PageContext): Promise<PageResponse> {
  const { repository: repo, path } = context.pageUrl;
  const request = { repo, path, ...refOf(context), encoding: "base64" };
  const { source } = await context.caller("source", request, context.call);
  const body = Buffer.from(source, "base64");
  const isBinary = body.includes(0);
  return {
    status: 200,
    body,
    policy: "default-src 'none'; sandbox",
    headers: {
      "content-type": isBinary ? "application/octet-stream" : "text/plain; charset=utf-8",
      ...(isBinary ? { "content-disposition": `attachment; filename*=UTF-8''${encodedName(path)}` } : {}),
    },
  };
}

/** Encodes the last segment of a path for a header (RFC 8187), which excludes some characters that URLs allow. */
function encodedName(path: string): string {
  const [name = ""] = path.split("/").slice(-1);
  return browseUrl("", "", undefined, name)
    .replace(/^.*\//, "")
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
