/**
 * Webhooks of code hosts: whether they come from the host, and which repositories they are about.
 *
 * A webhook is a hint. It says what to look at, never what to fetch, rename or delete.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { TimeSlice } from "#platform/timeSlice";
import type { Connection } from "./connection";
import type { Secret } from "./secret";
import { readHint, type WebhookHint, type WebhookRequest } from "./webhookHint";

export interface Webhook extends WebhookHint {
  /** Identifies the delivery; absent if the host sends no id. */
  readonly deliveryId?: string;
}

type HostType = Connection["type"];

/** Returns `undefined` unless the webhook proves that its sender knows the secret. `now`: milliseconds since 1970. */
export async function readWebhook(
  type: HostType,
  secret: Secret,
  request: WebhookRequest,
  now: number,
): Promise<Webhook | undefined> {
  if (!(await isAuthentic(type, secret.reveal(), request, now))) return undefined;
  const { bodyDeliveryId, ...hint } = readHint(type, request);
  const names = deliveryHeaders[type];
  const deliveryId = names.map((name) => request.headers[name]).find(Boolean) ?? bodyDeliveryId;
  return deliveryId === undefined ? hint : { ...hint, deliveryId };
}

const deliveryHeaders: Readonly<Record<HostType, readonly string[]>> = {
  github: ["x-github-delivery"],
  // The first is part of what is signed. Several hooks may send the same `x-gitlab-event-uuid`.
  gitlab: ["webhook-id", "idempotency-key"],
  gitea: ["x-gitea-delivery", "x-forgejo-delivery"],
  gerrit: [],
  bitbucketServer: ["x-request-id"],
  bitbucketCloud: ["x-request-uuid"],
  azuredevops: [],
  genericGitHost: [],
};

/** How far the clock of a host may be off, for signatures that contain a time. */
const maxSkewSeconds = 300;

async function isAuthentic(
  type: HostType,
  secret: string,
  { headers, body, secret: secretInUrl = "" }: WebhookRequest,
  now: number,
): Promise<boolean> {
  // Always computed, so that the time of a refusal does not depend on the type of the connection.
  const signature = (await sign(secret, [body])).toString("hex");
  const { authorization = "" } = headers;
  switch (type) {
    case "github":
      return isEqual(withoutPrefix("sha256=", headers["x-hub-signature-256"]), signature);
    case "gitea":
      return isEqual(headers["x-gitea-signature"] ?? headers["x-forgejo-signature"] ?? "", signature);
    case "bitbucketServer":
    case "bitbucketCloud":
      return isEqual(withoutPrefix("sha256=", headers["x-hub-signature"]), signature);
    case "gitlab":
      return secret.startsWith(signingPrefix)
        ? await hasSignedTime(secret, headers, body, now)
        : isEqual(headers["x-gitlab-token"] ?? "", secret);
    case "azuredevops":
      return (
        isEqual(headers["x-webhook-secret"] ?? "", secret) || isEqual(basicPassword(authorization), secret)
      );
    case "gerrit":
      return isEqual(secretInUrl, secret);
    case "genericGitHost":
      return isEqual(/^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "", secret);
  }
}

/** How GitLab's signing tokens begin; a key in base64 follows. */
const signingPrefix = "whsec_";
/** Shorter keys are no keys, but malformed. */
const minKeyBytes = 16;

/** Checks a signature as the Standard Webhooks specification defines it: of the delivery, the time and the body. */
async function hasSignedTime(
  secret: string,
  headers: WebhookRequest["headers"],
  body: Uint8Array,
  now: number,
): Promise<boolean> {
  const {
    "webhook-id": id = "",
    "webhook-timestamp": time = "",
    "webhook-signature": signatures = "",
  } = headers;
  const key = Buffer.from(secret.slice(signingPrefix.length), "base64");
  const expectedBytes = await sign(key, [Buffer.from(`${id}.${time}.`), body]);
  const isRecent = /^\d{1,12}$/.test(time) && Math.abs(now / 1000 - Number(time)) <= maxSkewSeconds;
  const expected = `v1,${expectedBytes.toString("base64")}`;
  return (
    isRecent && key.length >= minKeyBytes && signatures.split(" ").some((each) => isEqual(each, expected))
  );
}

function withoutPrefix(prefix: string, text = ""): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : "";
}

function basicPassword(authorization: string): string {
  const [, encoded = ""] = /^basic +(\S+) *$/i.exec(authorization) ?? [];
  const text = Buffer.from(encoded, "base64").toString("utf8");
  return text.slice(text.indexOf(":") + 1);
}

/** Bytes signed between checks of the time slice. */
const chunkBytes = 1024 * 1024;

async function sign(key: string | Uint8Array, parts: readonly Uint8Array[]): Promise<Buffer> {
  const hmac = createHmac("sha256", key);
  const slice = new TimeSlice();
  for (const part of parts) {
    for (let at = 0; at < part.length; at += chunkBytes) {
      hmac.update(part.subarray(at, at + chunkBytes));
      if (slice.isExpired) await slice.yieldToEventLoop();
    }
  }
  return hmac.digest();
}

/** Compares in constant time. An empty text equals nothing. */
function isEqual(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash("sha256").update(text).digest());
  return given !== "" && one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
