/** Does every write, and holds what each kind of key is shown of it against the table of the spec. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isWrite } from '../src/contract/operation.ts';
import type { Permission } from '../src/contract/permissions.ts';
import { operationsOf } from '../src/start/server.ts';
import { makeKey } from './areas/accounts.ts';
import { type Change, settled } from './areas/changes-feed.ts';
import { effectiveExample } from './effective-requests.ts';
import { forEachEngine } from './engines.ts';
import { EXAMPLES } from './refusals/examples.ts';
import { validRequest } from './refusals/refusals.ts';
import { createWorld, type World } from './refusals/world.ts';

const nothing = {} as Parameters<typeof operationsOf>[0];
const writes = operationsOf(nothing).filter(isWrite);

const DRIVE = /^(file|file_folder|access)\./;
const DOCUMENTS =
  /^(file|file_folder|access|document|spreadsheet)\.(?!changed)|^(file|file_folder|access|document)\.changed/;

/** What keys with these permissions see of the changes of their user. */
const TABLE: readonly [permissions: readonly Permission[], types: RegExp | undefined][] = [
  [['mail.messages.read'], /^(message|folder)\./],
  [['mail.settings.read'], /^filter\./],
  [['contacts.read'], /^(contact|address_book)\./],
  [['files.read'], DRIVE],
  [['docs.documents.read'], DOCUMENTS],
  [['docs.documents.read', 'sheets.values.read'], /^(file|file_folder|access|document|spreadsheet)\./],
  [['calendar.events.read'], /^(calendar|event)\./],
  [['directory.read'], /^(user|group|resource)\./],
  [['keys.read', 'directory.write'], /^api_key\./],
  [['sheets.values.read', 'calendar.freebusy.read', 'webhooks.read'], undefined],
  [['mail.messages.write', 'files.write', 'contacts.write', 'docs.documents.write', 'keys.write'], undefined],
];

/** Without its time, to the millisecond that of the row, of which each viewer has one: the last digit may differ. */
type Shown = Omit<Change, 'at'>;

forEachEngine((engine) => {
  describe('what keys are shown of all writes', () => {
    let world: World;
    /** Of the owner's key, which may read everything, of the other user, and of keys of the owner by the table. */
    let whole: Shown[];
    let colleagues: Shown[];
    const shown: Shown[][] = [];
    before(async () => {
      world = await createWorld(engine);
      const { app, colleagueKey, strangersKey } = world;
      const made = await Promise.all(TABLE.map(([permissions]) => makeKey(app, permissions)));
      const ofKeysAlone = await makeKey(app, ['keys.read']);
      const keys = [undefined, colleagueKey, strangersKey, ofKeysAlone.key, ...made.map(({ key }) => key)];
      await settled(app);
      const cursors: string[] = [];
      for (const key of keys) cursors.push((await app.get('/v1/changes', { key })).json.data.cursor);
      for (const operation of writes) {
        const example = EXAMPLES[operation.id];
        if (!example) continue;
        const effective = await effectiveExample(operation.id, example, world);
        const { path, options } = validRequest(operation, effective, world.mine);
        const { status, text } = await app.request(operation.method, path, options);
        assert.ok(status < 300, `${operation.id}: ${text}`);
      }
      await settled(app);
      for (const [i, key] of keys.entries()) shown.push(await read(world, key, cursors[i] ?? ''));
      [whole = [], colleagues = []] = shown;
    });
    after(() => world.app.stop());

    test('the writes were of all kinds', () => {
      const kinds = new Set(whole.map(({ type }) => type.split('.')[0]));
      assert.equal(kinds.size, 16, [...kinds].join());
    });

    for (const [i, [permissions, types]] of TABLE.entries())
      test(`a key with ${permissions.join(' and ')} is shown ${types ? types.source : 'nothing'} (CHANGE-14, CHANGE-15, CHANGE-16, CHANGE-17)`, () => {
        const expected = whole.filter(({ type }) => types?.test(type));
        assert.ok(expected.length > 0 || !types);
        assert.deepEqual(shown[4 + i], expected);
      });

    test("a key with keys.read alone is shown its own user's keys, not those of others (CHANGE-17, CHANGE-48)", async () => {
      const rows = await world.app.services.database.read((tx) =>
        tx.selectFrom('changes').select('id').where('viewer', '=', world.mine.user).execute(),
      );
      const own = new Set(rows.map(({ id }) => id));
      const expected = whole.filter(({ type, id }) => type.startsWith('api_key.') && own.has(id));
      assert.ok(expected.length > 0);
      assert.deepEqual(shown[3], expected);
    });

    test('another user is shown the directory, keys as an administrator, and what is shared or invites them (CHANGE-18)', () => {
      const ofOwner = colleagues.filter(({ actor }) => actor?.user_id === world.mine.user);
      const kinds = new Set(ofOwner.map(({ type }) => type.split('.')[0]));
      for (const kind of kinds)
        assert.match(
          String(kind),
          /^(user|group|resource|api_key|access|file|file_folder|document|spreadsheet|event|message)$/,
        );
      const mails = ofOwner.filter(({ type }) => type.startsWith('message.') || type.startsWith('folder.'));
      for (const { type } of mails) assert.equal(type, 'message.created', 'what the owner has sent to them');
    });

    test('another workspace is shown nothing', () => assert.deepEqual(shown[2], []));

    test('a suspended user, and a key that is revoked, are shown nothing at all (CHANGE-11, CHANGE-76)', async () => {
      const { app, colleagues: them, colleagueKey } = world;
      const revoked = await makeKey(app, ['directory.read']);
      await app.delete(`/v1/api-keys/${revoked.id}`);
      await app.put(`/v1/users/${them.user}`, { state: 'suspended' });
      for (const key of [revoked.key, colleagueKey]) {
        const answers = [
          await app.get('/v1/changes', { key }),
          await app.get('/v1/changes', { key, headers: { accept: 'text/event-stream' } }),
        ];
        for (const { status, json } of answers)
          assert.deepEqual([status, json.error.code], [401, 'invalid_api_key']);
      }
    });
  });
});

/** The whole feed from a cursor on. */
async function read({ app }: World, key: string | undefined, from: string): Promise<Shown[]> {
  const changes: Shown[] = [];
  let cursor = from;
  for (let more = true; more; ) {
    const { data } = (await app.get(`/v1/changes?cursor=${cursor}&limit=1000`, { key })).json;
    changes.push(...data.changes.map(({ at: _, ...change }: Change) => change));
    ({ cursor, more } = data);
  }
  return changes;
}
