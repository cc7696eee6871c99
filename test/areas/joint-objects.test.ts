/** Requests that are done together are of one object: what is looked up for one of them holds for no other object. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operationsOf } from '../../src/start/server.ts';
import { ANY_ENGINE } from '../engines.ts';
import { createWorld, storedState, type World } from '../refusals/world.ts';

describe('a transaction of several requests', () => {
  let world: World;
  before(async () => {
    world = await createWorld(ANY_ENGINE);
  });
  after(() => world.app.stop());

  /** A request of each of two users for an object of their own. */
  const requestsOf: Record<string, (world: World) => object[]> = {
    writeRange: ({ workspaceId, mine, colleagues }) =>
      [mine, colleagues].map(({ user, spreadsheet }) => ({
        principal: { workspaceId, userId: user },
        params: { id: spreadsheet, range: 'A1' },
        body: { values: [['together']] },
      })),
  };

  it('is known of every operation that has some', () => {
    const joint = operationsOf(world.app.services).filter(({ kind }) => kind === 'joint write');
    assert.deepEqual(joint.map(({ id }) => id).sort(), Object.keys(requestsOf).sort());
  });

  for (const [id, requests] of Object.entries(requestsOf)) {
    it(`does nothing where the requests of ${id} are of two users`, async () => {
      const { services } = world.app;
      const operation = operationsOf(services).find((one) => one.id === id);
      assert.ok(operation?.kind === 'joint write');
      const before = await storedState(services.database);
      await assert.rejects(
        services.database.write(async (tx) => {
          const inputs = requests(world) as never;
          return operation.handle(tx, inputs, await operation.open(tx, inputs));
        }),
        /of one transaction name several/,
      );
      assert.equal(await storedState(services.database), before);
    });
  }
});
