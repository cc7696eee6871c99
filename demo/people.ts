import { Atrium, type Group, type Resource, type User } from '../client/src/index.ts';
import { ALL_PERMISSIONS } from '../src/contract/permissions.ts';

/** A user with a client. */
export interface Person {
  user: User;
  atrium: Atrium;
}

/** The people and things used by the rest of the demo. */
export interface Cast {
  /** The owner of the workspace is first. */
  people: readonly Person[];
  groups: readonly Group[];
  rooms: readonly Resource[];
}

const NAMES = ['Ada Lovelace', 'Alan Turing', 'Emmy Noether', 'Grace Hopper', 'Katherine Johnson'];
const ZONES = ['Europe/London', 'Europe/London', 'Europe/Berlin', 'America/New_York', 'America/New_York'];

/** Creates users with a key each, groups, and rooms. */
export async function makeCast(owner: Atrium, address: string): Promise<Cast> {
  const me = await owner.directory.getOwnUser();
  const domain = me.email.slice(me.email.lastIndexOf('@') + 1);
  const others = await Promise.all(
    NAMES.map((name, index) => makePerson(owner, address, name, index, domain)),
  );
  const ids = others.map(({ user }) => user.id);
  const groups = [
    await owner.directory.createGroup({ name: 'Everyone', member_ids: [me.id, ...ids] }),
    await owner.directory.createGroup({ name: 'Engines', member_ids: ids.slice(0, 3) }),
  ];
  const rooms = [
    await owner.directory.createResource({ name: 'Reading room', kind: 'room', capacity: 8 }),
    await owner.directory.createResource({ name: 'Projector', kind: 'equipment' }),
  ];
  return { people: [{ user: me, atrium: owner }, ...others], groups, rooms };
}

async function makePerson(
  owner: Atrium,
  address: string,
  name: string,
  index: number,
  domain: string,
): Promise<Person> {
  const email = `${name.split(' ')[0]?.toLowerCase()}@${domain}`;
  const zone = ZONES[index] ?? 'UTC';
  const user = await owner.directory.createUser({ email, name, time_zone: zone });
  const { key } = await owner.apiKeys.createApiKey({
    name: 'demo',
    permissions: ALL_PERMISSIONS,
    user_id: user.id,
  });
  return { user, atrium: new Atrium({ address, key }) };
}
