import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { OWNER_KEY } from '../harness.ts';
import { type Actor, makeActor } from './actor.ts';
import type { Person, World } from './area.ts';
import type { Cluster } from './cluster.ts';
import type { Random } from './random.ts';

/** Makes people, rooms, a document and a spreadsheet that all of them may write. */
export async function makeWorld(cluster: Cluster, random: Random, people: number): Promise<World> {
  const owner = makeActor(cluster, OWNER_KEY, random.fork('owner'));
  const create = async (path: string, body: object) =>
    (await owner.must({ method: 'POST', path, body })).data;
  const { id, email } = await owner.get('/v1/users/me');
  const world: World = {
    people: [{ id, email, key: OWNER_KEY }],
    rooms: [],
    document: (await create('/v1/documents', { type: 'document', title: 'Shared' })).id,
    spreadsheet: (await create('/v1/documents', { type: 'spreadsheet', title: 'Shared' })).id,
    shared: { revisions: new Map(), appended: [], bookings: new Map(), sent: [] },
  };
  for (let i = 1; i < people; i++) world.people.push(await makePerson(owner, i, world));
  for (const name of ['Red', 'Blue'])
    world.rooms.push((await create('/v1/resources', { name, kind: 'room' })).id);
  const { state } = await owner.get(`/v1/spreadsheets/${world.spreadsheet}`);
  await owner.must({
    method: 'POST',
    path: `/v1/spreadsheets/${world.spreadsheet}/structure`,
    body: { operations: [{ type: 'add_sheet', sheet: 'Log' }] },
    headers: { 'if-match': state },
  });
  return world;
}

async function makePerson(owner: Actor, n: number, world: World): Promise<Person> {
  const create = async (path: string, body: object) =>
    (await owner.must({ method: 'POST', path, body })).data;
  const email = `person${n}@t.example`;
  const { id } = await create('/v1/users', { email, name: `Person ${n}` });
  const { key } = await create('/v1/api-keys', {
    name: email,
    permissions: ALL_PERMISSIONS,
    user_id: id,
  });
  for (const shared of [world.document, world.spreadsheet])
    await create(`/v1/files/${shared}/permissions`, { principal_id: id, role: 'editor' });
  return { id, email, key };
}
