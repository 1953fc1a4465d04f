/** Reads which repositories an authentic webhook is about, from its headers and its body. */
import * as z from "zod";
import type { Connection } from "./connection";
import { numericId, shortText } from "./fields";

/** A webhook as it arrived. */
export interface WebhookRequest {
  /** By lowercase name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The fields `repository` and `secret` of the URL. */
  readonly repository?: string | undefined;
  readonly secret?: string | undefined;
  readonly body: Uint8Array;
}

export interface WebhookHint {
  /** The host's id of the repository whose branches or tags may have changed. */
  readonly pushedId?: string;
  /** Whether repositories may have been added, renamed, changed or deleted. */
  readonly mayListDiffer: boolean;
}

interface ReadHint extends WebhookHint {
  readonly bodyDeliveryId?: string;
}

type Reader = (request: WebhookRequest) => ReadHint | undefined;

const nothing: ReadHint = { mayListDiffer: false };
const listing: ReadHint = { mayListDiffer: true };

/** Returns a hint at nothing for events of other kinds, and for bodies that are malformed. */
export function readHint(type: Connection["type"], request: WebhookRequest): ReadHint {
  return readers[type](request) ?? nothing;
}

const numbered = z.object({ repository: z.object({ id: numericId }) });
const numberIn = (request: WebhookRequest) => numbered.safeParse(parseBody(request)).data?.repository.id;
const gitlabBody = z.object({
  event_name: shortText.optional().catch(undefined),
  project_id: numericId.optional().catch(undefined),
  project: z.object({ id: numericId }).optional().catch(undefined),
});
const bitbucketCloudBody = z.object({ repository: z.object({ uuid: shortText }) });
const azureBody = z.object({
  id: shortText.optional().catch(undefined),
  eventType: shortText,
  resource: z
    .object({ repository: z.object({ id: shortText }) })
    .optional()
    .catch(undefined),
});
const gerritBody = z.object({
  type: shortText,
  refUpdate: z.object({ project: shortText, refName: shortText }).optional().catch(undefined),
});

const readers: Readonly<Record<Connection["type"], Reader>> = {
  github: (request) =>
    byEvent(request.headers["x-github-event"], {
      pushes: ["push", "create", "delete"],
      listings: ["repository", "installation", "installation_repositories"],
      pushedId: () => numberIn(request),
    }),
  gitlab(request) {
    const { event_name: name, project_id: id, project } = gitlabBody.safeParse(parseBody(request)).data ?? {};
    const event = request.headers["x-gitlab-event"];
    return byEvent(event === "System Hook" ? name : event, {
      pushes: ["Push Hook", "Tag Push Hook", "push", "tag_push", "repository_update"],
      listings: [
        "Project Hook",
        "Subgroup Hook",
        "project_create",
        "project_destroy",
        "project_rename",
        "project_transfer",
        "project_update",
        "group_rename",
        "group_destroy",
      ],
      pushedId: () => project?.id ?? id,
    });
  },
  gitea: (request) =>
    byEvent(request.headers["x-gitea-event"] ?? request.headers["x-forgejo-event"], {
      pushes: ["push", "create", "delete"],
      listings: ["repository"],
      pushedId: () => numberIn(request),
    }),
  bitbucketServer: (request) =>
    byEvent(request.headers["x-event-key"], {
      pushes: ["repo:refs_changed", "mirror:repo_synchronized"],
      listings: ["repo:modified", "repo:forked", "project:modified"],
      pushedId: () => numberIn(request),
    }),
  bitbucketCloud: (request) =>
    byEvent(request.headers["x-event-key"], {
      pushes: ["repo:push"],
      listings: [
        "repo:created",
        "repo:deleted",
        "repo:fork",
        "repo:imported",
        "repo:transfer",
        "repo:updated",
        "project:updated",
      ],
      pushedId: () => bitbucketCloudBody.safeParse(parseBody(request)).data?.repository.uuid,
    }),
  azuredevops(request) {
    const { id, eventType = "", resource } = azureBody.safeParse(parseBody(request)).data ?? {};
    const hint = eventType.startsWith("git.repo.")
      ? listing
      : byEvent(eventType, { pushes: ["git.push"], listings: [], pushedId: () => resource?.repository.id });
    return { ...(hint ?? nothing), ...(id === undefined ? {} : { bodyDeliveryId: id }) };
  },
  gerrit(request) {
    const { type, refUpdate } = gerritBody.safeParse(parseBody(request)).data ?? {};
    // Each change for review has a ref, which is not mirrored. Old versions omit the prefix of branches.
    if (refUpdate !== undefined && /^refs\/(?!heads\/|tags\/)/.test(refUpdate.refName)) return nothing;
    return byEvent(type, {
      pushes: ["ref-updated"],
      listings: ["project-created", "project-head-updated"],
      pushedId: () => refUpdate?.project,
    });
  },
  genericGitHost({ repository }) {
    const path = repository?.replace(/^\/+/, "").replace(/(?:\.git)?\/*$/, "");
    return path === undefined || path === "" ? listing : { pushedId: path, mayListDiffer: false };
  },
};

interface Events {
  readonly pushes: readonly string[];
  readonly listings: readonly string[];
  readonly pushedId: () => string | undefined;
}

function byEvent(event: string | undefined, { pushes, listings, pushedId }: Events): ReadHint | undefined {
  if (event === undefined) return undefined;
  if (listings.includes(event)) return listing;
  const id = pushes.includes(event) ? pushedId() : undefined;
  return id === undefined ? undefined : { pushedId: id, mayListDiffer: false };
}

/** Returns the JSON of a body, which some hosts send in a form as the field `payload`; `undefined` if there is none. */
function parseBody({ headers, body }: WebhookRequest): unknown {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
  try {
    return JSON.parse(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
  } catch {
    return undefined;
  }
}
