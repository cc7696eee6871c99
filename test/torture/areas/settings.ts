import assert from 'node:assert/strict';
import type { Actor } from '../actor.ts';
import type { Area, Place } from '../area.ts';

interface Named {
  id: string;
  name: string;
}

/** Where records with a name are listed and made. */
interface Kind {
  path: string;
  fields: object | ((name: string) => object);
  hasUpdates: boolean;
  hasRemoval: boolean;
  /** All are listed at once. */
  isShort?: boolean;
}

/** Mail filters that touch no message. */
export function startFilters({ actor }: Place): Promise<Area> {
  const rule = {
    conditions: [{ field: 'subject', op: 'equals', value: 'nothing is called this' }],
    actions: [{ type: 'mark_read' }],
  };
  const path = '/v1/mail/filters';
  return startNamed(actor, { path, fields: { priority: 1, rule }, hasUpdates: true, hasRemoval: true });
}

export function startGroups({ actor, world }: Place): Promise<Area> {
  const fields = { member_ids: world.people.map(({ id }) => id) };
  return startNamed(actor, { path: '/v1/groups', fields, hasUpdates: true, hasRemoval: false });
}

/** API keys: their answers hold a secret, and are the same bytes again all the same. */
export function startKeys({ actor }: Place): Promise<Area> {
  const fields = { permissions: ['files.read'] };
  return startNamed(actor, { path: '/v1/api-keys', fields, hasUpdates: false, hasRemoval: true });
}

/** Folders of mail without messages. */
export function startMailFolders({ actor }: Place): Promise<Area> {
  return startNamed(actor, { ...SHORT, path: '/v1/folders' });
}

export function startAddressBooks({ actor }: Place): Promise<Area> {
  return startNamed(actor, { ...SHORT, path: '/v1/address-books' });
}

export function startCalendars({ actor }: Place): Promise<Area> {
  return startNamed(actor, { ...SHORT, path: '/v1/calendars' });
}

/** Folders without files: they go to the trash. */
export function startFileFolders({ actor }: Place): Promise<Area> {
  return startNamed(actor, { ...SHORT, path: '/v1/file-folders', hasRemoval: true });
}

/** Rooms that nobody books. */
export function startResources({ actor }: Place): Promise<Area> {
  const fields = { kind: 'room' };
  return startNamed(actor, { path: '/v1/resources', fields, hasUpdates: false, hasRemoval: false });
}

export function startUsers({ actor }: Place): Promise<Area> {
  const fields = (name: string) => ({ email: `${name}@u.example` });
  return startNamed(actor, { path: '/v1/users', fields, hasUpdates: true, hasRemoval: false });
}

const SHORT = { fields: {}, hasUpdates: true, hasRemoval: false, isShort: true };

async function startNamed(
  actor: Actor,
  { path, fields, hasUpdates, hasRemoval, isShort = false }: Kind,
): Promise<Area> {
  const { random } = actor;
  const records: Named[] = [];
  const prefix = `${random.token()}-`;
  const listed = async () =>
    ((await (isShort ? actor.get(path) : actor.walk(path))) as Named[]).flatMap(({ id, name }) =>
      name.startsWith(prefix) ? [`${id} ${name}`] : [],
    );
  const hasOne = (name: string) => async () => [
    (await listed()).filter((line) => line.endsWith(` ${name}`)).length === 1,
  ];
  const create = async () => {
    const name = `${prefix}${random.token()}`;
    const body = { name, ...(typeof fields === 'function' ? fields(name) : fields) };
    const { data } = await actor.must({ method: 'POST', path, body }, hasOne(name));
    records.push({ id: data.id, name });
  };
  const rename = async (record: Named) => {
    const name = `${prefix}${random.token()}`;
    await actor.must({ method: 'PUT', path: `${path}/${record.id}`, body: { name } }, hasOne(name));
    record.name = name;
  };
  const remove = async (record: Named) => {
    const isGone = async () => (await hasOne(record.name)()).map((isThere) => !isThere);
    await actor.must({ method: 'DELETE', path: `${path}/${record.id}` }, isGone);
    records.splice(records.indexOf(record), 1);
  };
  const changes = [...(hasUpdates ? [rename] : []), ...(hasRemoval ? [remove] : [])];
  return {
    step: () => {
      if (records.length < 3 || changes.length === 0 || random.chance(0.5)) return create();
      return random.pick(changes)(random.pick(records));
    },
    prove: async () =>
      assert.deepEqual((await listed()).sort(), records.map(({ id, name }) => `${id} ${name}`).sort()),
  };
}
