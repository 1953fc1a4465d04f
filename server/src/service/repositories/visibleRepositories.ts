/** The repositories that a caller may see, as a view of their own: others do not exist in it. */
import type { RepositoryScope } from "#contract/access";
import type { Repository, RepositoryId } from "#model/repository";
import type { CodeHostRights, RepositoryView } from "./repositoryView";
import { type Contents, SharedContents } from "./sharedContents";

/**
 * Returns the part of `view` that a scope grants: repositories by name, and of those from code hosts the ones that these
 * let the user see, and the packages that these depend on.
 */
export function visibleRepositories(
  view: RepositoryView,
  { grants, codeHostUser }: RepositoryScope,
  rights?: CodeHostRights,
  shared = new SharedContents(view),
): RepositoryView {
  const isGranted = shared.matcher(grants);
  const contents = (): Contents => {
    const known = shared.get(visible);
    const rightsRevision = rights?.revision;
    if (known !== undefined && known.rightsRevision === rightsRevision) return known;
    let hasUnknownRights = false;
    const isVisible = (repository: Repository): boolean => {
      if (!isGranted(repository.name)) return false;
      if (codeHostUser === undefined || rights === undefined) return true;
      const visibility = rights.visibility(repository, codeHostUser);
      if (visibility === "unknown") hasUnknownRights = true;
      return visibility === "visible";
    };
    return shared.put(visible, isVisible, () => ({ hasUnknownRights, rightsRevision }));
  };
  const lists = () => shared.lists(contents().visible);
  const isVisible = (id: RepositoryId) => shared.has(contents().visible, id);
  const ifVisible = (repository: Repository | undefined) =>
    repository !== undefined && isVisible(repository.id) ? repository : undefined;
  const visible: RepositoryView = {
    isLimited: true,
    all: () => lists().all,
    packages: () => lists().packages,
    get: (id) => ifVisible(view.get(id)),
    // A former name may belong to a hidden repository now.
    byName: (name) =>
      ifVisible(view.byName(name)) ?? lists().all.find(({ formerNames = [] }) => formerNames.includes(name)),
    containing: (path) => ifVisible(view.containing(path)),
    isScanning: () => view.isScanning(),
    hasUnknownRights: () => contents().hasUnknownRights,
    isScanningPackages: () => view.isScanningPackages(),
    isPolled: (id) => isVisible(id) && view.isPolled(id),
    hasSymbols: (id) => isVisible(id) && view.hasSymbols(id),
    skipped: async (id, signal) => (isVisible(id) ? await view.skipped(id, signal) : []),
    unparsed: async (id, signal) => (isVisible(id) ? await view.unparsed(id, signal) : []),
    indexRevision: async (id, name, timeMs, signal) =>
      isVisible(id) ? await view.indexRevision(id, name, timeMs, signal) : "absent",
    restore: async (id, timeMs, signal) => {
      if (isVisible(id)) await view.restore(id, timeMs, signal);
    },
    evictionCount: () => view.evictionCount(),
    wasEvictedSince: (id, count) => isVisible(id) && view.wasEvictedSince(id, count),
    noteUse: ({ ids, revisions = [], open = [] }) =>
      view.noteUse({
        ids: ids.filter(isVisible),
        revisions: revisions.filter(({ id }) => isVisible(id)),
        open: open.filter(isVisible),
      }),
  };
  return visible;
}
