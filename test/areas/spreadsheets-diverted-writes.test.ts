/** Writes that name another spreadsheet beside the one of their path, while its owner writes, change and show nothing. */
import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { type RawInput, RequestValidator } from '../../src/contract/validation.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { makePerson, type Person } from './files-world.ts';
import { makeSpreadsheet, rangePath } from './spreadsheets-world.ts';

const ROUNDS = 15;
const WRITES = 20;

/** Takes every request for valid, whatever its body names. */
function passEverything(): void {
  mock.method(RequestValidator.prototype, 'read', ({ params, query, body }: RawInput) => ({
    params,
    query,
    body,
    problems: [],
    fitting: { query, body: body ?? {} },
  }));
}

forEachEngine((engine) => {
  describe('writes of a stranger at the same time', () => {
    let app: TestApp;
    let stranger: Person;
    before(async () => {
      app = await startApp(engine);
      stranger = await makePerson(app);
    });
    after(() => app.stop());

    const cellsOf = async (id: string, key?: string): Promise<unknown[][]> =>
      data(await app.get(rangePath(id, 'A1:Z100', '?render=formula'), key ? { key } : {})).values;

    /** The owner's writes to a spreadsheet, each with one of the stranger that names another of their own. */
    const writeAtOnce = async (owned: string, own: string) => {
      const bodies = (cell: string) => [
        { values: [[cell]], id: own },
        { values: [[cell]], id: own, range: 'Z1', params: { id: own }, spreadsheet_id: own },
        { values: [[cell]], id: own, user: { workspaceId: 'none', userId: stranger.id } },
      ];
      const requests = Array.from({ length: WRITES }, (_, at) => {
        const body = bodies(`stranger ${at}`)[at % 3] ?? {};
        return [
          app.put(rangePath(owned, `A${at + 1}`), { values: [[`owner ${at}`]] }),
          app.put(rangePath(owned, `B${at + 1}`), body, { key: stranger.key }),
        ];
      });
      const answers = await Promise.all(requests.flat());
      return {
        ofOwner: answers.filter((_, at) => at % 2 === 0),
        ofStranger: answers.filter((_, at) => at % 2 === 1),
      };
    };

    for (const [what, status, stub] of [
      ['are refused', 400, () => undefined],
      ['find nothing where validation passes them', 404, passEverything],
    ] as const) {
      test(`${what}, while the owner misses nothing and the stranger sees nothing`, async () => {
        try {
          for (let round = 0; round < ROUNDS; round++) {
            const owned = await makeSpreadsheet(app);
            const own = await makeSpreadsheet(app, 'Own', stranger.key);
            stub();
            const { ofOwner, ofStranger } = await writeAtOnce(owned, own);
            mock.restoreAll();
            assert.deepEqual([...new Set(ofOwner.map((answer) => answer.status))], [200]);
            assert.deepEqual([...new Set(ofStranger.map((answer) => answer.status))], [status]);
            const written = Array.from({ length: WRITES }, (_, at) => [`owner ${at}`]);
            assert.deepEqual(await cellsOf(owned), written);
            assert.deepEqual(await cellsOf(own, stranger.key), []);
          }
        } finally {
          mock.restoreAll();
        }
      });
    }

    test('what is no value of a cell refuses its own request and none that is done with it', async () => {
      const id = await makeSpreadsheet(app);
      passEverything();
      try {
        const answers = await Promise.all(
          Array.from({ length: WRITES }, (_, at) =>
            app.put(rangePath(id, `A${at + 1}`), { values: [[at % 2 === 0 ? at : { a: 1 }]] }),
          ),
        );
        const statuses = answers.map((answer) => answer.status);
        assert.deepEqual(
          statuses,
          Array.from({ length: WRITES }, (_, at) => (at % 2 === 0 ? 200 : 400)),
        );
      } finally {
        mock.restoreAll();
      }
      const cells = (await cellsOf(id)).flat().filter((cell) => cell !== '');
      assert.deepEqual(
        cells,
        Array.from({ length: WRITES / 2 }, (_, at) => at * 2),
      );
    });
  });
});
