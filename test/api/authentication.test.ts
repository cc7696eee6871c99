/** How a request's header becomes a caller, and for how long that is remembered. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ALL_PERMISSIONS, PERMISSIONS, type Permission } from '../../src/contract/permissions.ts';
import {
  Authentication,
  bearerToken,
  invalidApiKey,
  type Principal,
  requirePermission,
} from '../../src/contract/principal.ts';
import { putClock, setClockAhead } from '../clock.ts';

const REMEMBERED_MS = 2_000;
const REMEMBERED_KEYS = 10_000;

function principal(given: Partial<Principal> = {}): Principal {
  return {
    workspaceId: 'wks_1',
    userId: 'usr_1',
    keyId: 'key_1',
    permissions: new Set(),
    expiresAt: Number.POSITIVE_INFINITY,
    ...given,
  };
}

/** An authentication whose only key has the secret "secret", and how often that was looked up. */
function authenticating(of: () => Principal | undefined) {
  const asked: string[] = [];
  const authentication = new Authentication(async (secret) => {
    asked.push(secret);
    return secret === 'secret' ? of() : undefined;
  });
  return { authentication, asked, ask: () => authentication.authenticate('Bearer secret') };
}

const INVALID = { code: 'invalid_api_key', message: 'The API key is unknown, revoked or expired.' };

describe('the header of a key', () => {
  test('the header of a key is read in any case, with any blanks between and behind (API-88)', () => {
    for (const header of ['Bearer a~!', 'bearer a~!', 'BEARER   a~!', 'Bearer a~!  '])
      assert.equal(bearerToken(header), 'a~!');
  });

  test('the header of a key is refused when it is anything else (API-89)', () => {
    const others = ['', 'Bearer', 'Bearer ', 'a~!', 'Basic a', 'xBearer a', 'Bearer a b', 'Bearer ä'];
    for (const header of [undefined, ...others, 'Bearera', ' Bearer a', 'Bearer\ta', 'Bearer a\x7f'])
      assert.throws(() => bearerToken(header), {
        code: 'unauthenticated',
        message: 'Send the API key in the header "Authorization: Bearer <API_KEY>".',
      });
  });
});

describe('a key', () => {
  test('is looked up by its secret, and then remembered', async () => {
    const found = principal();
    const { asked, ask } = authenticating(() => found);
    assert.equal(await ask(), found);
    assert.equal(await ask(), found);
    assert.deepEqual(asked, ['secret']);
  });

  test('is looked up again after two seconds, wherever the clock was put', async (t) => {
    const { asked, ask } = authenticating(() => principal());
    await ask();
    putClock(t, -100 * REMEMBERED_MS);
    await ask();
    assert.equal(asked.length, 1);
    setClockAhead(t, REMEMBERED_MS);
    await ask();
    assert.equal(asked.length, 2);
  });

  test('is looked up again at the end of the two seconds', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const { asked, ask } = authenticating(() => principal());
    for (now of [0, REMEMBERED_MS - 1, REMEMBERED_MS]) await ask();
    assert.equal(asked.length, 2);
  });

  test('is refused when it is not found, each time', async () => {
    const { asked, ask } = authenticating(() => undefined);
    await assert.rejects(ask(), INVALID);
    await assert.rejects(ask(), INVALID);
    assert.equal(asked.length, 2);
    assert.equal(invalidApiKey().message, INVALID.message);
  });

  test('is refused from the moment at which it ends', async (t) => {
    t.mock.method(Date, 'now', () => 1_000);
    await assert.rejects(authenticating(() => principal({ expiresAt: 1_000 })).ask(), INVALID);
    const { ask, asked } = authenticating(() => principal({ expiresAt: 1_001 }));
    await ask();
    await ask();
    assert.equal(asked.length, 1);
    t.mock.method(Date, 'now', () => 1_001);
    await assert.rejects(ask(), INVALID);
  });

  test('is looked up again once keys have changed', async () => {
    const { authentication, asked, ask } = authenticating(() => principal());
    await ask();
    authentication.forget();
    await ask();
    assert.equal(asked.length, 2);
  });

  test('that was looked up while keys changed is not remembered', async () => {
    const { authentication, asked, ask } = authenticating(() => {
      if (asked.length === 1) authentication.forget();
      return principal();
    });
    await ask();
    await ask();
    await ask();
    assert.equal(asked.length, 2);
  });

  test('is forgotten when many others are remembered', async (t) => {
    t.mock.method(performance, 'now', () => 0);
    let asked = 0;
    const authentication = new Authentication(async () => {
      asked++;
      return principal();
    });
    const ask = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, i) => authentication.authenticate(`Bearer ${i}`)));
    await ask(REMEMBERED_KEYS);
    await ask(REMEMBERED_KEYS);
    assert.equal(asked, REMEMBERED_KEYS);
    await ask(3 * REMEMBERED_KEYS);
    await ask(1);
    assert.equal(asked, 3 * REMEMBERED_KEYS + 1);
  });
});

describe('a permission', () => {
  test('a permission is what the key has, and no other (API-92)', () => {
    const permissions = new Set<Permission>(['files.read']);
    assert.doesNotThrow(() => requirePermission(principal({ permissions }), 'files.read'));
    assert.throws(() => requirePermission(principal({ permissions }), 'files.write'), {
      code: 'insufficient_scope',
      details: { missing_permission: 'files.write' },
    });
  });

  test('is told with what it allows, each with something else', () => {
    assert.deepEqual(ALL_PERMISSIONS, Object.keys(PERMISSIONS));
    const sentences = Object.values(PERMISSIONS);
    assert.equal(new Set(sentences).size, ALL_PERMISSIONS.length);
    for (const sentence of sentences) assert.match(sentence, /^[A-Z].*\.$/);
  });
});
