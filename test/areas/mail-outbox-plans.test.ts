/** What leaves is found along an index, however much waits. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CompiledQuery } from 'kysely';
import {
  findDue,
  isAnyDue,
  leaseOutgoing,
  type Outgoing,
  postponeOutgoing,
  removeOutgoing,
} from '../../src/areas/mail/sending/outbox-store.ts';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { plansOf } from '../plans.ts';

/** Enough for PostgreSQL to know that reading all of them is dear. */
const ROWS = 8_000;
const AT_ONCE = 500;
const USERS = 100;
const DUE = 4_000_000_000_000;

forEachEngine((engine) => {
  describe('how the outbox finds things', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
      if (engine === 'postgres') {
        await app.services.database.write((tx) => tx.executeQuery(CompiledQuery.raw('analyze')));
      }
    });
    after(() => app.stop());

    const questions: [name: string, index: RegExp, ask: (tx: WriteTransaction) => Promise<unknown>][] = [
      ['whether anything is due', /mail_outbox_by_due/, (tx) => isAnyDue(tx, DUE)],
      [
        'whose turn it is, and what of theirs is due',
        /mail_outbox_by_user[\s\S]*mail_outbox_by_user/,
        (tx) => findDue(tx, '', { now: DUE, skipped: new Set() }),
      ],
      ['what it leases', /mail_outbox(_key|_1)/, (tx) => leaseOutgoing(tx, row(1), 1, DUE)],
      ['what it postpones', /mail_outbox(_key|_1)/, (tx) => postponeOutgoing(tx, row(1), [], DUE)],
      ['what it removes', /mail_outbox(_key|_1)/, (tx) => removeOutgoing(tx, row(1))],
    ];
    for (const [name, index, ask] of questions) {
      it(`finding ${name} reads along an index`, async () => {
        const plans = await app.services.database.write((tx) => plansOf(tx, ask));
        assert.ok(plans.length > 0);
        const plan = plans.flat().join('\n');
        assert.match(plan, index);
        // The users who were found so far are no table.
        assert.doesNotMatch(
          plan,
          /SCAN (?!users|CONSTANT)|Seq Scan(?! on workspace_moves )|Sort|TEMP B-TREE/,
        );
      });
    }
  });
});

async function fill(tx: WriteTransaction): Promise<void> {
  for (let i = 0; i < ROWS; i += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, at) => row(i + at));
    await tx.insertInto('mail_outbox').values(rows).execute();
  }
}

function row(i: number): Outgoing {
  return {
    workspace_id: 'wsp_1',
    user_id: `usr_${i % USERS}`,
    id: `out_${i}`,
    message_id: 'msg_1',
    message_id_header: '<1@x.example>',
    sender: 'a@x.example',
    recipients: '[]',
    attempts: 0,
    next_attempt_at: DUE + i,
    queued_at: 0,
  };
}
