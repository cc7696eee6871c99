/** What services refuse of values that no request gets to them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileOf } from '../../src/areas/drive/nodes.ts';
import { share } from '../../src/areas/drive/sharing/grants.ts';
import { type Flag, flagSet } from '../../src/areas/mail/changes/flags.ts';
import { lineChangeOf } from '../../src/areas/spreadsheets/structure/structure-model.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { forEachEngine } from '../engines.ts';
import { createWorld, storedState, type World } from '../refusals/world.ts';

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.code === ('validation_failed' satisfies ErrorCode);
}

describe('an operation on lines', () => {
  const insert = { type: 'insert_rows', sheet: 'Sheet1', start: 1, count: 1 };
  const wrong: Record<string, unknown>[] = [
    { type: 'drop_table' },
    { type: 'add_rows' },
    { start: 0 },
    { start: -5 },
    { start: 1.5 },
    { start: 1_048_577 },
    { count: 0 },
    { count: -2 },
    { count: Number.NaN },
    { type: 'insert_columns', start: 16_385 },
  ];
  for (const change of wrong) {
    it(`is refused with ${JSON.stringify(change)}`, () => {
      assert.throws(() => lineChangeOf({ ...insert, ...change } as never), isRefused);
    });
  }
});

describe('a set of flags', () => {
  it('has no bit of what is no flag', () => {
    assert.equal(flagSet(['read', 'deleted']), 17);
    for (const flag of ['seen', '', 'toString', 5]) assert.throws(() => flagSet([flag as Flag]), isRefused);
  });
});

forEachEngine((engine) => {
  describe('a rule that is called with what no schema has seen', () => {
    let world: World;
    before(async () => {
      world = await createWorld(engine);
    });
    after(() => world.app.stop());

    const calls: Record<string, (world: World) => (tx: never) => Promise<unknown>> = {
      'a file of a size below zero': (world) => (tx) =>
        world.app.services.files.createFile(tx, ownerOf(world), fileOfSize(-1)),
      'a file of half a byte': (world) => (tx) =>
        world.app.services.files.createFile(tx, ownerOf(world), fileOfSize(0.5)),
      'a key with a permission that there is not': (world) => (tx) =>
        world.app.services.keys.createKey(tx, ownerOf(world), { name: 'k', permissions: ['all'] } as never),
      'a state that no user has':
        ({ app, workspaceId, mine }) =>
        (tx) =>
          app.services.directory.updateUser(tx, workspaceId, mine.user, { state: 'gone' } as never),
      'a role that nobody has': (world) => (tx) => {
        const { dependencies } = world.app.services.files;
        const given = { principal_id: world.mine.user, role: 'owner' } as never;
        return share(tx, dependencies, ownerOf(world) as never, fileOf(world.mine.file), given);
      },
    };
    for (const [what, call] of Object.entries(calls)) {
      it(`refuses ${what}, and stores nothing`, async () => {
        const { database } = world.app.services;
        const before = await storedState(database);
        await assert.rejects(
          database.write((tx) => call(world)(tx as never)),
          isRefused,
        );
        assert.equal(await storedState(database), before);
      });
    }
  });
});

function ownerOf({ workspaceId, mine }: World) {
  return { workspaceId, userId: mine.user };
}

function fileOfSize(size: number) {
  return { filename: 'a.txt', mimeType: 'text/plain', size, blobKey: null, folderId: '' };
}
