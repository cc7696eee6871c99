import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findAccess } from '../../src/areas/keys/key-store.ts';
import {
  listEnded,
  listSessionsBehind,
  removeSessionKeys,
} from '../../src/areas/keys/sign-in/session-store.ts';
import {
  beginTicket,
  findCode,
  findSession,
  findTicket,
  findToken,
  removeExpired,
  takeCode,
} from '../../src/areas/keys/sign-in/sign-in-store.ts';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf } from '../plans.ts';

const ROWS = 5_000;
const AT_ONCE = 500;
const MINUTE = 60_000;
const BEGUN = Date.UTC(2026, 0, 1);

/** What a browser or a sweep looks up, with the index that it is found by. */
const STATEMENTS: [what: string, index: string, work: (tx: WriteTransaction) => Promise<unknown>][] = [
  ['a session', 'sessions_by_cookie', (tx) => findSession(tx, 'hash 17')],
  ['a token', 'session_tokens_by_hash', (tx) => findToken(tx, 'hash 17')],
  ['a code', 'sign_in_codes_by_hash', (tx) => findCode(tx, 'hash 17')],
  ['a code that is used up', 'sign_in_codes_by_hash', (tx) => takeCode(tx, 'hash 17', 0)],
  ['a ticket', 'tickets_by_hash', (tx) => findTicket(tx, 'hash 17', 0)],
  [
    'a ticket whose download begins',
    'tickets_by_hash',
    (tx) => beginTicket(tx, 'hash 17', { now: 0, until: 1 }),
  ],
];

forEachEngine((engine) => {
  describe('how sessions, tokens, codes and tickets are found', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
      await analyze(app.services.database);
    });
    after(() => app.stop());

    for (const [what, index, work] of STATEMENTS)
      test(`${what} is found along ${index}`, async () => {
        const plans = await app.services.database.write((tx) => plansOf(tx, work));
        assert.equal(plans.length, 1);
        const [plan = []] = plans;
        assertReadsAlong(plan, [index]);
      });

    test('sessions that have ended are found by when they did, those of a user by the user', async () => {
      const plans = await app.services.database.write((tx) =>
        plansOf(tx, async (recorded) => {
          await listEnded(recorded, { now: BEGUN + 10 * MINUTE, revokedBefore: BEGUN }, 5);
          await listSessionsBehind(recorded, { workspaceId: 'wsp_1', userId: 'usr_1' }, 3);
          await removeSessionKeys(recorded, 'wsp_1', ['key_1', 'key_8']);
        }),
      );
      const indexes = [
        ['api_keys_sessions_by_expiry', 'api_keys_by_maker'],
        ['api_keys_sessions_by_end', 'api_keys_by_maker'],
        ['api_keys_sessions_by_user'],
      ];
      assert.equal(plans.length, indexes.length + 2);
      for (const [i, some] of indexes.entries()) assertReadsAlong(plans[i] ?? [], some);
      for (const plan of plans) assertReadsAlong(plan, []);
    });

    test('a key is found by its secret in the workspace that is known by it (OPS-69)', async () => {
      const plans = await app.services.database.read((tx) =>
        plansOf(tx, (recorded) => findAccess(recorded, 'session 17')),
      );
      const [workspace = [], key = []] = plans;
      assertReadsAlong(workspace, [
        engine === 'sqlite' ? 'key_workspaces USING PRIMARY KEY' : 'key_workspaces_key',
      ]);
      assertReadsAlong(key, ['api_keys_by_secret']);
    });

    test('what has expired is found by its time, and removed by its hash', async () => {
      const plans = await app.services.database.write((tx) =>
        plansOf(tx, (recorded) => removeExpired(recorded, BEGUN + 10 * MINUTE, 5)),
      );
      assert.equal(plans.length, 3);
      for (const [i, table] of ['session_tokens', 'sign_in_codes', 'tickets'].entries())
        assertReadsAlong(plans[i] ?? [], [`${table}_by_expiry`, `${table}_by_hash`]);
    });
  });
});

function assertReadsAlong(plan: string[], indexes: string[]): void {
  const lines = plan.join('\n');
  for (const index of indexes) assert.match(lines, new RegExp(`\\b${index}\\b`), lines);
  assert.doesNotMatch(
    lines,
    /SCAN (api_keys|key_workspaces|k|m|sessions|session_tokens|sign_in_codes|tickets)\b(?! USING)|Seq Scan on (?!webhooks|users)/,
    lines,
  );
}

async function fill(tx: WriteTransaction): Promise<void> {
  for (let first = 0; first < ROWS; first += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, i) => first + i);
    const common = (i: number) => ({
      workspace_id: `wsp_${i % 7}`,
      key_id: `key_${i}`,
      expires_at: BEGUN + i * MINUTE,
    });
    await tx
      .insertInto('sessions')
      .values(
        rows.map((i) => {
          const { workspace_id, key_id } = common(i);
          return { workspace_id, key_id, cookie_hash: `hash ${i}`, ends_with_maker: 0 };
        }),
      )
      .execute();
    await tx
      .insertInto('api_keys')
      .values(
        rows.map((i) => {
          const { workspace_id, key_id, expires_at } = common(i);
          return {
            workspace_id,
            id: key_id,
            user_id: `usr_${i % 50}`,
            name: 'Session',
            secret_hash: `session ${i}`,
            permissions: '[]',
            created_at: BEGUN,
            expires_at,
            revoked_at: i % 3 === 0 ? BEGUN + i : null,
            made_by: `key_${i + ROWS}`,
            kind: 'session' as const,
          };
        }),
      )
      .execute();
    await tx
      .insertInto('key_workspaces')
      .values(rows.map((i) => ({ secret_hash: `session ${i}`, workspace_id: common(i).workspace_id })))
      .execute();
    await tx
      .insertInto('session_tokens')
      .values(rows.map((i) => ({ ...common(i), token_hash: `hash ${i}` })))
      .execute();
    await tx
      .insertInto('sign_in_codes')
      .values(
        rows.map((i) => {
          const { workspace_id, expires_at } = common(i);
          return { workspace_id, code_hash: `hash ${i}`, user_id: `usr_${i}`, made_by: null, expires_at };
        }),
      )
      .execute();
    await tx
      .insertInto('tickets')
      .values(rows.map((i) => ({ ...common(i), ticket_hash: `hash ${i}`, path: '/v1/files', begun: 0 })))
      .execute();
  }
}
