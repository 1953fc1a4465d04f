/** The organisation of this instance: its store, opened by the first who needs it, and the person at this computer in it. */
import type { Member } from "#model/organisation";
import type { Store } from "#store/store";

/** Somebody as git knows them. */
export interface Person {
  readonly name?: string;
  readonly email: string;
}

export interface OrganisationOptions {
  readonly open: () => Promise<Store>;
  readonly person: () => Promise<Person>;
}

export interface Organisation {
  /** Rejects as opening does; the next call tries again. */
  store(): Promise<Store>;
  /** The person at this computer as a member; undefined where nobody has their address. */
  localMember(): Promise<Member | undefined>;
  close(): Promise<void>;
}

export function createOrganisation({ open, person }: OrganisationOptions): Organisation {
  let opened: Promise<Store> | undefined;
  let known: Promise<Person> | undefined;
  return { store, localMember, close };

  function store(): Promise<Store> {
    opened ??= opening().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  /** Whoever starts an instance owns it. */
  async function opening(): Promise<Store> {
    const first = await whoIsHere();
    const store = await open();
    try {
      await store.members.addFirst(first);
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  function whoIsHere(): Promise<Person> {
    known ??= person();
    return known;
  }

  async function localMember(): Promise<Member | undefined> {
    const { members } = await store();
    return await members.byEmail((await whoIsHere()).email);
  }

  async function close(): Promise<void> {
    const store = await opened?.catch(() => undefined);
    await store?.close();
  }
}
