/** Parses the bodies of responses. */
import { decompress, type RawResponse, type ResponseHeaders, SendError } from "#platform/send";

/** `gzipJson` is a file, served with any type. `html` is returned as text. */
export type BodyFormat = "json" | "gzipJson" | "html";

/**
 * Parses a response with status 200. `prefix` is what it must begin with. Rejects with `SendError` if it is something
 * else: a web page means that the host wants somebody to sign in.
 */
export async function parseBody(response: RawResponse, format: BodyFormat, prefix = ""): Promise<unknown> {
  if (format === "html") {
    if (isWebPage(response.headers)) return response.body.toString("utf8");
    throw new SendError("The host returned something other than a web page", true);
  }
  if (isWebPage(response.headers)) {
    throw new SendError(
      "The host returned a web page instead of data. The credentials may have expired",
      true,
    );
  }
  if (format === "json" && !/^application\/(.+\+)?json$/.test(mediaType(response.headers))) {
    throw new SendError("The host returned something other than JSON", true);
  }
  const isGzip = format === "gzipJson" && response.body[0] === 0x1f && response.body[1] === 0x8b;
  const text = (isGzip ? await decompress(response.body) : response.body).toString("utf8");
  if (!text.startsWith(prefix)) throw new SendError("The host returned JSON of another API", true);
  try {
    return JSON.parse(text.slice(prefix.length)) as unknown;
  } catch {
    throw new SendError("The host returned malformed JSON", true);
  }
}

export function isWebPage(headers: ResponseHeaders | undefined): boolean {
  return mediaType(headers).includes("html");
}

function mediaType(headers: ResponseHeaders | undefined): string {
  const [type = ""] = (headers?.["content-type"] ?? "").toLowerCase().split(";");
  return type.trim();
}
