import type { IncomingHttpHeaders } from "node:http";
import type { Credentials } from "#contract/service";

/** Returns the credentials in `Authorization` or, only if that header is absent, in `X-Service-API-Key`. */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
    return { kind: "bearer", token };
  }
  const key = headers["x-service-api-key"];
  if (key !== undefined) return { kind: "apiKey", token: String(key) };
  return { kind: "none" };
}
