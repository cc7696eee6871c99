/** Walks every place of every operation that takes an id, with every id that is not for it: nothing is shown, nothing changes. */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '../src/contract/operation.ts';
import { operationsOf } from '../src/start/server.ts';
import { forEachEngine } from './engines.ts';
import { foreignIds } from './foreign-ids/ids.ts';
import { assertOutcome, withoutId } from './foreign-ids/outcomes.ts';
import { type Place, requestWith, textPlaces } from './foreign-ids/places.ts';
import {
  type Kind,
  OF_THE_WORKSPACE,
  type Reference,
  referencesAt,
  SHOWN_BY,
} from './foreign-ids/references.ts';
import { OWNER_KEY } from './harness.ts';
import { EXAMPLES, type Example } from './refusals/examples.ts';
import { validRequest } from './refusals/refusals.ts';
import { createObjects, createWorld, type Objects, storedState, type World } from './refusals/world.ts';

const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);

/** An operation with a place that takes an id. */
interface Subject {
  operation: Operation;
  example: Example;
  place: Place;
  reference: Reference;
}

const subjects = operations.flatMap((operation) =>
  textPlaces(operation).flatMap((place) =>
    referencesAt(operation, place).map((reference): Subject => {
      const example = EXAMPLES[operation.id];
      assert.ok(example, operation.id);
      return { operation, example, place, reference };
    }),
  ),
);

forEachEngine((engine) => {
  describe('ids of others', () => {
    let world: World;
    /** More of the caller's own objects. */
    let more: Objects;
    before(async () => {
      world = await createWorld(engine);
      more = await createObjects(world.app, world.mine.user, OWNER_KEY);
    });
    after(() => world.app.stop());

    for (const { operation, example, place, reference } of subjects) {
      const [kind = 'user'] = reference.kinds;
      const name = `${operation.id} with a foreign ${reference.kinds.join(' or ')} as ${place.name} of the ${place.in}`;

      test(`${name} shows nothing and changes nothing (API-18, API-119, API-121)`, async () => {
        const { app, mine } = world;
        const before = await everything(world);
        const requestFor = (ids: readonly string[]) =>
          requestWith(operation, example, mine, place, ids, reference.beside);
        const send = (...ids: string[]) => {
          const { path, options } = requestFor(ids);
          return app.request(operation.method, path, options);
        };
        const beside = JSON.stringify(requestFor([]));
        const ids = Object.entries(foreignIds(world, more, reference)).filter(
          ([, id]) => !beside.includes(id),
        );
        const answers = ids.map(async ([whose, id]) => {
          const answer = await send(id);
          assertOutcome(reference.outcome, answer, id, `${whose}: ${id}`);
          if (place.isItem && reference.outcome !== 'lists nothing') {
            assertOutcome(reference.outcome, await send(mine[kind], id), id, `${whose}, beside one's own`);
          }
          return withoutId(answer, id);
        });
        const seen = new Set(await Promise.all(answers));
        assert.equal(seen.size, 1, `told apart: ${[...seen].join('\n')}`);
        await app.services.uploads.settled();
        assert.equal(await everything(world), before);
      });
    }

    const lists = operations.filter(
      ({ id, method }) => method === 'GET' && EXAMPLES[id]?.reach === 'no object',
    );
    for (const operation of lists) {
      test(`are not in what ${operation.id} answers (API-118, API-119)`, async () => {
        const { app, mine, colleagues, strangers } = world;
        const { path } = validRequest(operation, EXAMPLES[operation.id] as Example, mine);
        const { text } = await app.get(path);
        const hidden = [
          ...Object.values(strangers),
          ...(Object.keys(colleagues) as Kind[])
            .filter((kind) => !OF_THE_WORKSPACE.has(kind) && !SHOWN_BY[operation.id]?.includes(kind))
            .map((kind) => colleagues[kind]),
        ];
        assert.deepEqual(
          hidden.filter((id) => text.includes(id)),
          [],
        );
        // Whoever sees no others must see one's own; the change feed begins without any, and labels have no ids.
        if (path === operation.path && !['readChanges', 'listLabels'].includes(operation.id))
          assert.ok(Object.values(mine).some((id) => text.includes(id)));
      });
    }

    for (const { operation, example, place, reference } of subjects.filter(
      ({ place }) => place.in !== 'path',
    )) {
      const [kind = 'user'] = reference.kinds;
      // Without it, what is refused might be refused for something else.
      test(`${operation.id} takes one's own ${kind} as ${place.name}`, async () => {
        const { app, mine } = world;
        const { path, options } = requestWith(
          operation,
          example,
          mine,
          place,
          [mine[kind]],
          reference.beside,
        );
        const { status, text } = await app.request(operation.method, path, options);
        assert.ok(status < 300 || status === 409, text);
      });
    }
  });
});

/** All that is stored: equal texts mean that nothing has changed. */
async function everything({ app }: World): Promise<string> {
  const names = await readdir(app.config.dataDir, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !/^(?:atrium|search)\.sqlite/.test(entry.name));
  const blobs = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return `${path} ${(await stat(path)).size}`;
    }),
  );
  return [await storedState(app.services.database), ...blobs.sort()].join('\n');
}
