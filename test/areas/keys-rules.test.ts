/** Whose keys a caller may reach, what a key may grant, and when it may end: each rule by itself. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  endedKeyProblems,
  isVisibleTo,
  newKeyProblems,
  permitGrants,
  permitKeysOf,
  permitRevocation,
} from '../../src/areas/keys/rules.ts';
import type { Permission } from '../../src/contract/permissions.ts';
import type { Principal } from '../../src/contract/principal.ts';

function caller(...permissions: Permission[]): Principal {
  return {
    workspaceId: 'wks_1',
    userId: 'usr_1',
    keyId: 'key_1',
    permissions: new Set(permissions),
    expiresAt: Number.POSITIVE_INFINITY,
  };
}

function grant(userId: string, ...permissions: Permission[]) {
  return { user_id: userId, permissions: JSON.stringify(permissions) };
}

function lacks(permission: Permission) {
  return { code: 'insufficient_scope', details: { missing_permission: permission } };
}

describe('keys of somebody else', () => {
  test('keys of somebody else are reached with directory.write alone (DIR-28, DIR-30)', () => {
    permitKeysOf('usr_1', caller());
    permitKeysOf('usr_2', caller('directory.write'));
    assert.throws(() => permitKeysOf('usr_2', caller('directory.read')), lacks('directory.write'));
    assert.throws(() => permitKeysOf(['usr_1'], caller()), lacks('directory.write'));
  });

  test('keys of somebody else are not known without directory.write (DIR-33)', () => {
    assert.equal(isVisibleTo(caller(), grant('usr_1')), true);
    assert.equal(isVisibleTo(caller('keys.read'), grant('usr_2')), false);
    assert.equal(isVisibleTo(caller('directory.write'), grant('usr_2')), true);
  });
});

describe('a key', () => {
  test('a key grants what it has, and nothing else (DIR-27)', () => {
    permitGrants({}, caller());
    permitGrants({ permissions: ['files.read', 'files.write'] }, caller('files.write', 'files.read'));
    assert.throws(
      () => permitGrants({ permissions: ['files.read', 'files.write'] }, caller('files.read')),
      lacks('files.write'),
    );
  });

  test('a key revokes what may do no more, and of others with directory.write (DIR-33)', () => {
    permitRevocation([], caller());
    permitRevocation([grant('usr_1', 'files.read'), grant('usr_1')], caller('files.read'));
    permitRevocation([grant('usr_2', 'files.read')], caller('files.read', 'directory.write'));
    assert.throws(
      () => permitRevocation([grant('usr_1'), grant('usr_1', 'files.read')], caller('files.write')),
      lacks('files.read'),
    );
    assert.throws(
      () => permitRevocation([grant('usr_1'), grant('usr_2')], caller('files.read')),
      lacks('directory.write'),
    );
  });
});

describe('the end of a new key', () => {
  const makerEnds = Date.UTC(2030, 0, 1);
  const permissions: Permission[] = ['files.read'];

  test('the end of a new key is no later than that of its maker (DIR-29)', () => {
    assert.deepEqual(newKeyProblems({ permissions }, makerEnds), []);
    assert.deepEqual(newKeyProblems({ permissions, expires_at: '2030-01-01T00:00:00Z' }, makerEnds), []);
    assert.deepEqual(newKeyProblems({ permissions, expires_at: 'no time' }, makerEnds), []);
    assert.deepEqual(
      newKeyProblems({ permissions, expires_at: '2999-01-01T00:00:00Z' }, Number.POSITIVE_INFINITY),
      [],
    );
    assert.deepEqual(newKeyProblems({ permissions, expires_at: '2030-01-01T00:00:00.001Z' }, makerEnds), [
      {
        pointer: '/expires_at',
        code: 'not_allowed',
        message: 'Give a time no later than the end of the key that makes it, 2030-01-01T00:00:00.000Z.',
      },
    ]);
  });

  test('lies ahead', (t) => {
    t.mock.method(Date, 'now', () => makerEnds);
    const problems = (expires_at?: string) =>
      endedKeyProblems({ name: 'n', permissions: ['keys.read'], ...(expires_at && { expires_at }) });
    const ended = [{ pointer: '/expires_at', code: 'not_allowed', message: 'Give a time in the future.' }];
    assert.deepEqual(problems(), []);
    assert.deepEqual(problems('2030-01-01T00:00:00.001Z'), []);
    assert.deepEqual(problems('2030-01-01T00:00:00Z'), ended);
    assert.deepEqual(problems('no time'), ended);
  });
});
