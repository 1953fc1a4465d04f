/**
 * What is asked for with every call (whose a key is, who an identity is, the licence), kept in memory until something
 * changes: a question to another thread costs more than everything else that a key needs.
 *
 * Only for a database that nobody else writes. Whatever writes comes by here. While a change is under way nothing is
 * taken into memory, and what was there is forgotten before it begins: nobody can be let in by what was true before a
 * change that has been answered.
 */
import type { Store } from "./store";

/** Far more than an instance has keys; past it everything is asked for anew. */
const maxAnswers = 10_000;

export function withMemory(store: Store): Store {
  const { organisation, members, apiKeys, sessions } = store;
  const answers = new Map<string, unknown>();
  let running = 0;
  /** Counts the beginnings and the ends of changes. */
  let moment = 0;

  /** What there is not is not kept: anybody could fill the memory with it. */
  const kept = async <Answer>(key: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const known = answers.get(key);
    if (known !== undefined) return known as Answer;
    const asked = moment;
    const answer = await ask();
    if (answer !== undefined && running === 0 && asked === moment) {
      if (answers.size >= maxAnswers) answers.clear();
      answers.set(key, answer);
    }
    return answer;
  };
  const changing =
    <Parameters extends readonly unknown[], Answer>(change: (...given: Parameters) => Promise<Answer>) =>
    async (...given: Parameters): Promise<Answer> => {
      running++;
      moment++;
      answers.clear();
      try {
        return await change(...given);
      } finally {
        running--;
        moment++;
      }
    };

  return {
    ...store,
    organisation: {
      get: () => kept("organisation", organisation.get),
      setLicense: changing(organisation.setLicense),
      noteTime: changing(organisation.noteTime),
      resetTime: changing(organisation.resetTime),
    },
    // One by one: what is new here must say whether it changes something.
    members: {
      all: members.all,
      get: members.get,
      byEmail: members.byEmail,
      byOAuth: (identity) =>
        kept(`oauth ${identity.issuer} ${identity.subject}`, () => members.byOAuth(identity)),
      count: () => kept("count", members.count),
      add: changing(members.add),
      addFirst: changing(members.addFirst),
      linkOAuth: changing(members.linkOAuth),
      setRole: changing(members.setRole),
      suspend: changing(members.suspend),
      resume: changing(members.resume),
      remove: changing(members.remove),
      noteActivity: changing(members.noteActivity),
    },
    apiKeys: {
      all: apiKeys.all,
      ofMember: apiKeys.ofMember,
      byHash: (hash) => kept(`key ${hash}`, () => apiKeys.byHash(hash)),
      exist: () => kept("keys", apiKeys.exist),
      create: changing(apiKeys.create),
      revoke: changing(apiKeys.revoke),
      noteUse: changing(apiKeys.noteUse),
    },
    sessions: {
      byHash: (hash) => kept(`session ${hash}`, () => sessions.byHash(hash)),
      create: changing(sessions.create),
      end: changing(sessions.end),
      removeExpired: changing(sessions.removeExpired),
    },
    restore: changing(store.restore),
  };
}
