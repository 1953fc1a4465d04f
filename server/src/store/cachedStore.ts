/**
 * Caches what every request needs (the holder of a key, the member of an identity, the license) until something
 * changes, because a query on the database thread costs more than everything else that is done to check a key.
 *
 * Use it only for a database that no other process writes, and send all writes through it. The cache is cleared before
 * a change begins, and is not filled while one is under way, so no request is admitted based on data from before a
 * completed change.
 */
import type { Store } from "./store";

/** Far more than any instance has keys. When full, the cache is cleared. */
const maxEntries = 10_000;

/** Wraps a store. `checkpoint` runs after each change of permissions or of the license. It must not reject. */
export function withCache(store: Store, checkpoint: () => Promise<void>): Store {
  const { organization, members, apiKeys, sessions } = store;
  const cache = new Map<string, unknown>();
  let running = 0;
  /** Incremented when a change begins or ends. */
  let generation = 0;

  /** Does not cache missing values: anyone could fill the memory by asking for keys that do not exist. */
  const cached = async <Result>(key: string, load: () => Promise<Result>): Promise<Result> => {
    const known = cache.get(key);
    if (known !== undefined) return known as Result;
    const generationBefore = generation;
    const result = await load();
    if (result !== undefined && running === 0 && generationBefore === generation) {
      if (cache.size >= maxEntries) cache.clear();
      cache.set(key, result);
    }
    return result;
  };
  const changing =
    <Parameters extends readonly unknown[], Result>(change: (...args: Parameters) => Promise<Result>) =>
    async (...args: Parameters): Promise<Result> => {
      running++;
      generation++;
      cache.clear();
      try {
        return await change(...args);
      } finally {
        running--;
        generation++;
      }
    };

  const checkpointed =
    <Parameters extends readonly unknown[], Result>(change: (...args: Parameters) => Promise<Result>) =>
    async (...args: Parameters): Promise<Result> => {
      const result = await changing(change)(...args);
      await checkpoint();
      return result;
    };

  return {
    ...store,
    organization: {
      get: () => cached("organisation", organization.get),
      setLicense: checkpointed(organization.setLicense),
      advanceLatestTime: changing(organization.advanceLatestTime),
      resetLatestTime: checkpointed(organization.resetLatestTime),
    },
    // Listed one by one: each new method must state whether it changes something.
    members: {
      all: members.all,
      get: members.get,
      byEmail: members.byEmail,
      byOAuth: (identity) =>
        cached(`oauth ${identity.issuer} ${identity.subject}`, () => members.byOAuth(identity)),
      count: () => cached("count", members.count),
      add: checkpointed(members.add),
      addFirst: checkpointed(members.addFirst),
      linkOAuth: checkpointed(members.linkOAuth),
      setClaims: checkpointed(members.setClaims),
      setRole: checkpointed(members.setRole),
      suspend: checkpointed(members.suspend),
      resume: checkpointed(members.resume),
      remove: checkpointed(members.remove),
      recordActivity: changing(members.recordActivity),
    },
    apiKeys: {
      all: apiKeys.all,
      ofMember: apiKeys.ofMember,
      byHash: (hash) => cached(`key ${hash}`, () => apiKeys.byHash(hash)),
      hasKeys: () => cached("keys", apiKeys.hasKeys),
      create: checkpointed(apiKeys.create),
      revoke: checkpointed(apiKeys.revoke),
      recordUse: changing(apiKeys.recordUse),
    },
    sessions: {
      all: sessions.all,
      ofMember: sessions.ofMember,
      byHash: (hash) => cached(`session ${hash}`, () => sessions.byHash(hash)),
      create: changing(sessions.create),
      recordUse: changing(sessions.recordUse),
      end: checkpointed(sessions.end),
      removeExpired: changing(sessions.removeExpired),
    },
    restore: checkpointed(store.restore),
  };
}
