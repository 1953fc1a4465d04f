/**
 * The worker's side of a first index of many small repositories: they become one shard together, because a file, a
 * manifest and a task for each takes far longer than reading it.
 */
import { throwIfAborted } from "#base/error";
import { textOf } from "#git/bytePath";
import { fewObjects } from "#git/objectFiles";
import { readObjects } from "#git/objects";
import { findPlace } from "#git/place";
import { readRefs, refLines } from "#git/refs";
import { chooseRevisions, type RevisionChoice, wantsRemotes } from "#git/revisions";
import { linguistAttributes } from "#languages/attributes";
import type { SkipReason } from "#model/document";
import type { Files } from "#platform/files";
import { loadChecksum } from "#shard/checksum";
import type { Draft, IndexedRevision } from "#shard/directory";
import { writeDraft } from "#shard/draft";
import { Admission, type ContentChoice } from "#shard/skipReason";
import type { ShardWriter } from "#shard/writer";
import { addDocument } from "./buildTask";
import { planRepository, type RepositoryPlan } from "./planTask";
import { giveSlots } from "./slots";

export interface Gathering {
  readonly repositories: readonly { readonly id: number; readonly path: string }[];
  readonly wanted: RevisionChoice & ContentChoice;
  readonly draftPath: string;
}

/** One repository of the shard. */
export interface Gathered {
  readonly repositoryId: number;
  readonly revisions: readonly IndexedRevision[];
  readonly nextSlot: number;
  readonly defaultRevision: string;
  /** In milliseconds since 1970. */
  readonly committedAt?: number;
  /** Of the refs when they were read. */
  readonly refLines: readonly string[];
}

/** A repository with more text is no small one. */
const maxTextBytes = 1024 * 1024;

/**
 * Writes those that are small, whole and in order; the others are left for a run of their own, which says what it is
 * with them. No draft where there is nothing to write.
 */
export async function gatherRepositories(
  { repositories, wanted, draftPath }: Gathering,
  files: Files,
  signal: AbortSignal,
): Promise<{ readonly drafts: readonly Draft[]; readonly gathered: readonly Gathered[] }> {
  const gathered: Gathered[] = [];
  const admission = new Admission(wanted);
  const draft = await writeDraft(
    draftPath,
    await loadChecksum(),
    async (writer) => {
      for (const { id, path } of repositories) {
        throwIfAborted(signal);
        const content = await contentOf(path, wanted, admission, signal).catch(() => undefined);
        throwIfAborted(signal);
        if (content === undefined) continue;
        writer.beginRepository(id);
        write(writer, content, admission);
        gathered.push({ repositoryId: id, ...content.revisions });
      }
    },
    files,
  );
  if (gathered.length > 0) return { drafts: [draft], gathered };
  files.remove(draft.path);
  return { drafts: [], gathered };
}

interface Content {
  readonly revisions: Omit<Gathered, "repositoryId">;
  readonly plan: RepositoryPlan;
  /** As many as there are documents. */
  readonly texts: readonly Text[];
}

type Text = { readonly bytes: Buffer } | { readonly skip: SkipReason; readonly size: number };

/** `undefined` for what is not small, whole and in order; rejects for some of that, too. */
async function contentOf(
  path: string,
  wanted: RevisionChoice,
  admission: Admission,
  signal: AbortSignal,
): Promise<Content | undefined> {
  const place = findPlace(path);
  if (place === undefined) return undefined;
  const refs = await readRefs(place, signal, wantsRemotes(wanted));
  const {
    revisions: chosen,
    defaultRevision,
    committedAt,
  } = await chooseRevisions(place, refs, wanted, signal);
  if (defaultRevision === undefined) return undefined;
  const { revisions, nextSlot } = giveSlots(undefined, chosen);
  const plan = await planRepository(place, revisions, signal);
  const { documents, missing, lostSlots } = plan;
  if (documents.length > fewObjects || missing.size > 0 || lostSlots.length > 0) return undefined;
  const texts: Text[] = [];
  let textBytes = 0;
  await readObjects(
    place,
    documents.map(({ hash }) => hash),
    admission.maxBytes,
    (object) => {
      if (object.kind === "content") {
        textBytes += object.bytes.length;
        texts.push({ bytes: Buffer.from(object.bytes) });
      } else if (object.kind === "tooLarge") texts.push({ skip: object.kind, size: object.size });
      else texts.push({ skip: object.kind, size: 0 });
      return textBytes <= maxTextBytes;
    },
    signal,
  );
  if (texts.length < documents.length) return undefined;
  const dated = committedAt === undefined ? {} : { committedAt };
  const known = { revisions, nextSlot, defaultRevision, ...dated, refLines: refLines(refs) };
  return { revisions: known, plan, texts };
}

function write(writer: ShardWriter, { plan, texts }: Content, admission: Admission): void {
  const building = { attributesOf: linguistAttributes(plan.attributes), admission };
  for (const [at, document] of plan.documents.entries()) {
    const text = texts[at];
    if (text === undefined) continue;
    if (admission.excludes(textOf(document.path)))
      addDocument(writer, document, building, undefined, "excluded");
    else if ("bytes" in text) addDocument(writer, document, building, text.bytes);
    else addDocument(writer, document, building, undefined, text.skip, text.size);
  }
}
