import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { expungeFolder } from '../../src/areas/mail/changes/expunge.ts';
import { flagSet } from '../../src/areas/mail/changes/flags.ts';
import { changeFlagsAndLabels } from '../../src/areas/mail/changes/flags-and-labels.ts';
import { moveMessages } from '../../src/areas/mail/changes/move-messages.ts';
import type { Engine, WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import type { TestApp } from '../harness.ts';
import { plansOf } from '../plans.ts';
import { filledApp, OWNER } from './filled-mailboxes.ts';

/** Every fourth message of the mailbox is in the first folder. */
const IDS = Array.from({ length: 100 }, (_, i) => `msg_usr_1_${String(i * 4).padStart(6, '0')}`);
const NAMED = { folderId: 'usr_1 a', messageIds: IDS };
const GIVEN = { flags: flagSet(['draft']), labels: ['new', 'work'] };

const add = (tx: WriteTransaction) => changeFlagsAndLabels(tx, OWNER, NAMED, { op: 'add', ...GIVEN });

const CHANGES: Record<string, (tx: WriteTransaction) => Promise<unknown>> = {
  'adding flags and labels': add,
  'taking them off': async (tx) => {
    await add(tx);
    await changeFlagsAndLabels(tx, OWNER, NAMED, { op: 'remove', ...GIVEN });
  },
  'setting them': async (tx) => {
    await add(tx);
    await changeFlagsAndLabels(tx, OWNER, NAMED, { op: 'set', flags: 0, labels: ['old'] });
  },
  moving: (tx) => moveMessages(tx, OWNER, NAMED, 'usr_1 b'),
  expunging: (tx) => expungeFolder(tx, OWNER, 'usr_1 a'),
};

/** What reads more than the messages that change: a table from end to end, or all that a workspace has of it. */
const DETOURS: Record<Engine, RegExp> = {
  // Lists are read whole: e are the ids, l the labels of a message.
  sqlite: /SCAN (?!(e|l) VIRTUAL|\d+-ROW VALUES)|\(workspace_id=\?\)$/,
  postgres:
    /Seq Scan on (messages|message_states|message_labels|mail_folder_counts|expunged_messages)|Index Cond: \(workspace_id = '\w+'::text\)$/,
};

forEachEngine((engine) => {
  describe('how changes find their messages', () => {
    let app: TestApp;
    before(async () => {
      app = await filledApp(engine);
    });
    after(() => app.stop());

    for (const [name, change] of Object.entries(CHANGES)) {
      test(`${name} reads by keys and indexes alone`, async () => {
        const plans = await undone((tx) => plansOf(tx, change));
        assert.ok(plans.length > 3, 'the statements were seen');
        for (const plan of plans) {
          const detours = plan.filter((line) => DETOURS[engine].test(line));
          assert.deepEqual(detours, [], plan.join('\n'));
        }
      });
    }

    /** Answers what the work answers, and leaves the mailbox as it was. */
    const undone = async <T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> => {
      const results: T[] = [];
      const undo = new Error('undone');
      const written = app.services.database.write(async (tx) => {
        // The tables here are so small that PostgreSQL would rather read them whole than look a hundred times.
        if (engine === 'postgres') await tx.executeQuery(CompiledQuery.raw('set local enable_seqscan = off'));
        results.push(await work(tx));
        throw undo;
      });
      await assert.rejects(written, undo);
      const [result] = results;
      assert.ok(result);
      return result;
    };
  });
});
