/** Clients that write while their workspace moves: what was acknowledged is there, once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { data } from '../areas/accounts.ts';
import { runAtrium } from '../command-line.ts';
import { eventually } from '../eventually.ts';
import { type Answer, OWNER_KEY, type TestApp } from '../harness.ts';
import {
  assertSound,
  type Installations,
  type Moved,
  makeMoved,
  PAIRS,
  startInstallations,
} from './world.ts';

const CLIENTS = 20;
const BEFORE = 3;
const AFTERWARDS = 3;

/** What a client has been told. */
interface Ledger {
  readonly acknowledged: Map<string, string>;
  atTarget: number;
}

/** Writes, repeating under the same Idempotency-Key what was refused with 503, and goes where it is told. */
async function work(both: Installations, { key }: Moved, client: number, folder: string, ledger: Ledger) {
  let app: TestApp = both.source;
  for (let n = 0; ledger.atTarget < AFTERWARDS; n++) {
    const subject = `client ${client} message ${n}`;
    const ask = (): Promise<Answer> =>
      app.request('POST', `/v1/folders/${folder}/messages`, {
        key,
        idempotencyKey: subject.replaceAll(' ', '-'),
        body: `From: A <a@x.example>\r\nSubject: ${subject}\r\n\r\n${subject}`,
        headers: { 'content-type': 'message/rfc822' },
      });
    let answer = await ask();
    while (answer.status !== 201) {
      assert.ok(answer.status === 503 || answer.status === 421, answer.text);
      if (answer.status === 421) app = both.target;
      await pause(20);
      answer = await ask();
    }
    ledger.acknowledged.set(subject, answer.json.data.id);
    if (app === both.target) ledger.atTarget++;
  }
}

for (const pair of PAIRS) {
  describe(`a move from ${pair.from} to ${pair.to}${pair.s3 ? ' and S3' : ''} while ${CLIENTS} clients write`, () => {
    let both: Installations;
    before(async () => {
      both = await startInstallations(pair);
    });
    after(() => both.stop());

    it('loses nothing and keeps nothing twice, and no other workspace waits (OPS-72)', async () => {
      const { source, target, settings } = both;
      const moved = await makeMoved(source);
      const [{ id: folder }] = data(await source.get('/v1/folders', { key: moved.key }));
      const ledgers = Array.from({ length: CLIENTS }, () => ({
        acknowledged: new Map(),
        atTarget: 0,
      }));
      const clients = ledgers.map((ledger, i) => work(both, moved, i, folder, ledger));
      const working = Promise.all(clients);
      let hasEnded = false;
      const others = [source, target].map(async (app) => {
        for (let n = 0; !hasEnded; n++) {
          const made = await app.post(
            '/v1/groups',
            { name: `Others ${n}`, member_ids: [] },
            { key: OWNER_KEY },
          );
          assert.equal(made.status, 201, made.text);
        }
      });
      await eventually(
        () => ledgers.every(({ acknowledged }) => acknowledged.size >= BEFORE),
        'all have written',
      );
      const outcome = await runAtrium(source, ['workspace', 'move', moved.id, '--to', settings]);
      assert.equal(outcome.code, 0, outcome.stderr);
      await working;
      hasEnded = true;
      await Promise.all(others);
      const listed = new Map<string, string[]>();
      let cursor = '';
      do {
        const page = await target.get(`/v1/messages?folder_id=${folder}&limit=200${cursor}`, {
          key: moved.key,
        });
        for (const { id, subject } of data(page)) listed.set(subject, [...(listed.get(subject) ?? []), id]);
        cursor = page.json.pagination.has_more ? `&cursor=${page.json.pagination.next_cursor}` : '';
      } while (cursor !== '');
      for (const { acknowledged } of ledgers)
        for (const [subject, id] of acknowledged) assert.deepEqual(listed.get(subject), [id], subject);
      for (const app of [source, target]) await assertSound(app);
    });
  });
}
