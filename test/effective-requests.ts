/** Requests that surely change something, where the example of an operation stores what was there already. */
import assert from 'node:assert/strict';
import { data } from './areas/accounts.ts';
import { append, rfc822 } from './areas/mail-world.ts';
import type { Example } from './refusals/examples.ts';
import type { Objects, World } from './refusals/world.ts';

/** Makes what an operation needs to have an effect; answers what of its example is another one then. */
type Preparation = (world: World) => Promise<Partial<Example>>;

const addMessage = async ({ app, mine }: World, headers = ''): Promise<string> =>
  (await append(app, mine.folder, `${headers}${rfc822()}`)).id;

const addDeleted = async (world: World): Promise<string> => {
  const id = await addMessage(world);
  const flags = { message_ids: [id], op: 'add', flags: ['deleted'] };
  await world.app.post(`/v1/folders/${world.mine.folder}/messages/flags`, flags);
  return id;
};

const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  applyMailFilter: async (world) => {
    await addMessage(world, 'X-Applied: yes\r\n');
    const rule = {
      conditions: [{ field: 'header:x-applied', op: 'contains', value: 'yes' }],
      actions: [{ type: 'mark_read' }],
    };
    await world.app.put(`/v1/mail/filters/${world.mine.filter}`, { rule });
    return {};
  },
  moveMessages: async (world) => {
    const id = await addMessage(world);
    const name = `Moved here ${id}`;
    const { id: to } = (await world.app.post('/v1/folders', { name })).json.data;
    return { body: () => ({ message_ids: [id], to_folder_id: to }) };
  },
  expungeMailFolder: async (world) => {
    await addDeleted(world);
    return {};
  },
  restoreMessage: async (world) => {
    const id = await addDeleted(world);
    await world.app.post(`/v1/folders/${world.mine.folder}/expunge`);
    return { path: (_of: Objects) => `/v1/messages/${id}/restore` };
  },
  updateUser: async () => ({ body: () => ({ time_zone: 'Asia/Tokyo' }) }),
};

/** Does to a document and to a spreadsheet what the examples do to a file or to one of them. */
export async function writeDocumentsOfBothKinds({ app, colleagues }: World): Promise<void> {
  for (const type of ['document', 'spreadsheet']) {
    const { id } = data(await app.post('/v1/documents', { type, title: `Another ${type}` }), 201);
    const grants = `/v1/files/${id}/permissions`;
    const body = { principal_id: colleagues.user, role: 'viewer' };
    const grant = data(await app.post(grants, body), 201);
    assert.equal((await app.delete(`${grants}/${grant.id}`)).status, 204);
    assert.equal((await app.delete(`/v1/documents/${id}`)).status, 204);
    data(await app.post(`/v1/documents/${id}/restore`));
  }
}

/** The example of an operation, or one in its place that has an effect in this world. */
export async function effectiveExample(
  operationId: string,
  example: Example,
  world: World,
): Promise<Example> {
  const other = await PREPARATIONS[operationId]?.(world);
  return { ...example, ...other };
}
