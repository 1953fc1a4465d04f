/** The organization of this instance: its store, opened on first use, and the local user as a member. */
import type { Member } from "#model/organization";
import { monotonicNow } from "#platform/clock";
import { type ExpectedOrganization, OrganizationLost } from "#store/lostOrganization";
import { NewerDatabase } from "#store/newerDatabase";
import type { Store } from "#store/store";

/** A user, as named in their git configuration. */
export interface Person {
  readonly name?: string;
  readonly email: string;
}

/** What is stored about an organization outside its database, so that a loss of the database is detected. */
export interface RememberedOrganization extends ExpectedOrganization {
  readonly hasKeys: boolean;
}

export interface OrganizationMemory {
  /** Returns what was stored last, by this process or an earlier one; `undefined` if there was nothing to lose. */
  read(): RememberedOrganization | undefined;
  /** Called after each change. Never throws. */
  write(organization: Omit<RememberedOrganization, "database">): void;
}

export interface OrganizationOptions {
  /** Throws `OrganizationLost` if the database does not contain `expected`. */
  readonly open: (expected: ExpectedOrganization | undefined) => Promise<Store>;
  readonly memory: OrganizationMemory;
  readonly person: () => Promise<Person>;
}

export interface Organization {
  /** Opens the store on first use. If that fails, the next call tries again. */
  store(): Promise<Store>;
  /**
   * Why this version could not use the database when it was last opened; `undefined` if it could, or if that is unknown.
   * Tries again in the background, because nobody sends requests to a process that is not ready.
   */
  readonly problem: string | undefined;
  /** Throws `OrganizationLost` if there were API keys and they are gone. Opens the store only if there were. */
  checkNotLost(): Promise<void>;
  /**
   * Runs `restore` on the store. If the organization is lost, runs it on a new store, which then replaces the old one.
   */
  restore<Result>(restore: (store: Store) => Promise<Result>): Promise<Result>;
  /** Returns the local user as a member; `undefined` if no member has their email address. */
  localMember(store?: Store): Promise<Member | undefined>;
  close(): Promise<void>;
}

/** How long a loss is cached before the database is checked again. */
const lossCacheMs = 1000;

export function createOrganization({ open, memory, person }: OrganizationOptions): Organization {
  let opened: Promise<Store> | undefined;
  let cachedPerson: Promise<Person> | undefined;
  let isChecked = false;
  let checkAgainAt = Number.NEGATIVE_INFINITY;
  let clearLoss = () => {};
  let newer: NewerDatabase | undefined;
  return {
    store,
    get problem() {
      if (newer !== undefined) store().catch(() => {});
      return newer?.message;
    },
    checkNotLost,
    restore,
    localMember,
    close,
  };

  function store(): Promise<Store> {
    opened ??= resetAfterFailure(openWithOwner(memory.read()));
    return opened;
  }

  function resetAfterFailure(opening: Promise<Store>): Promise<Store> {
    const attempt = opening.catch((error: unknown) => {
      const reset = () => {
        if (opened === attempt) opened = undefined;
      };
      if (error instanceof OrganizationLost) {
        clearLoss = reset;
        setTimeout(reset, lossCacheMs).unref();
      } else reset();
      throw error;
    });
    return attempt;
  }

  /** Opens the store. The user who starts an instance becomes its first owner. */
  async function openWithOwner(expected: RememberedOrganization | undefined): Promise<Store> {
    const first = await currentPerson();
    const store = await open(expected).catch((error: unknown) => {
      newer = error instanceof NewerDatabase ? error : undefined;
      throw error;
    });
    newer = undefined;
    try {
      await store.members.addFirst(first);
      const remember = () => rememberContent(store);
      if (expected !== undefined || (await hasContentToLose(store))) await remember();
      return rememberAfterChanges(store, remember);
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async function rememberContent({ organization, apiKeys }: Store): Promise<void> {
    const [{ uuid }, hasKeys] = await Promise.all([organization.get(), apiKeys.hasKeys()]);
    memory.write({ uuid, hasKeys });
  }

  async function checkNotLost(): Promise<void> {
    if (isChecked || monotonicNow() < checkAgainAt) return;
    if (memory.read()?.hasKeys) {
      try {
        await store();
      } catch (error) {
        if (error instanceof OrganizationLost) throw error;
        // An unavailable database may turn out to be lost once it is available again.
        checkAgainAt = monotonicNow() + lossCacheMs;
        return;
      }
    } else clearLoss();
    isChecked = true;
  }

  async function restore<Result>(restore: (store: Store) => Promise<Result>): Promise<Result> {
    try {
      return await restore(await store());
    } catch (error) {
      if (!(error instanceof OrganizationLost)) throw error;
    }
    let result: { readonly value: Result } | undefined;
    const openNew = async () => {
      const store = await openWithOwner(undefined);
      try {
        result = { value: await restore(store) };
        return store;
      } catch (error) {
        await store.close();
        throw error;
      }
    };
    opened = resetAfterFailure(openNew());
    await opened;
    if (result === undefined) throw new Error("A restore has ended without a result.");
    return result.value;
  }

  function currentPerson(): Promise<Person> {
    cachedPerson ??= person();
    return cachedPerson;
  }

  async function localMember(from?: Store): Promise<Member | undefined> {
    const { members } = from ?? (await store());
    return await members.byEmail((await currentPerson()).email);
  }

  async function close(): Promise<void> {
    const store = await opened?.catch(() => undefined);
    await store?.close();
  }
}

/** Whether the organization contains more than its first owner. */
async function hasContentToLose({ organization, members, apiKeys }: Store): Promise<boolean> {
  if (await apiKeys.hasKeys()) return true;
  const { license } = await organization.get();
  return license !== undefined || (await members.all()).length > 1;
}

/** Wraps the store to call `remember` after each change that makes an organization worth remembering. */
function rememberAfterChanges(store: Store, remember: () => Promise<void>): Store {
  const rememberAfter =
    <Args extends readonly unknown[], Result>(change: (...given: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const result = await change(...args);
      await remember();
      return result;
    };
  const { organization, members, apiKeys } = store;
  return {
    ...store,
    organization: { ...organization, setLicense: rememberAfter(organization.setLicense) },
    members: { ...members, add: rememberAfter(members.add) },
    apiKeys: { ...apiKeys, create: rememberAfter(apiKeys.create) },
    restore: rememberAfter(store.restore),
  };
}
