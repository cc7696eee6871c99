import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ApiError, type ErrorCode } from '../../src/contract/errors.ts';
import { Cursors, type Listing, listingOf, pageRequest } from '../../src/contract/pagination.ts';

const filters = { folder_id: ['fld_1', 'fld_2'], unread: true };
const listing = listingOf('listMessages', { userId: 'usr_1' }, filters);
const cursors = new Cursors(randomBytes(32), 3_600);

function refused(code: ErrorCode, reason: string | undefined, read: () => unknown): void {
  assert.throws(
    read,
    (error) => error instanceof ApiError && error.code === code && error.details.reason === reason,
  );
}

test('a cursor names its place, for the same filters in any order and another limit (API-140, API-141)', () => {
  const cursor = cursors.encode(listing, [17, 'msg_1']);
  assert.deepEqual(cursors.decode(listing, cursor), [17, 'msg_1']);
  const query = { unread: true, cursor, limit: 7, folder_id: ['fld_2', 'fld_1', 'fld_2'] };
  const same = listingOf('listMessages', { userId: 'usr_1' }, query);
  assert.deepEqual(cursors.decode(same, cursor), [17, 'msg_1']);
});

test('a cursor tells nothing to a person and never looks the same twice (API-141)', () => {
  const cursor = cursors.encode(listing, [17, 'msg_1']);
  assert.match(cursor, /^[\w-]+$/);
  assert.ok(!Buffer.from(cursor, 'base64url').toString('latin1').includes('msg_1'));
  assert.notEqual(cursor, cursors.encode(listing, [17, 'msg_1']));
});

test('a cursor of another listing, user or filter says so (API-142)', () => {
  const cursor = cursors.encode(listing, [17, 'msg_1']);
  const other = (changed: Listing) => () => cursors.decode(changed, cursor);
  refused('invalid_cursor', 'other_listing', other(listingOf('listUsers', { userId: 'usr_1' }, filters)));
  refused('invalid_cursor', 'other_user', other(listingOf('listMessages', { userId: 'usr_2' }, filters)));
  refused(
    'invalid_cursor',
    'other_filters',
    other(listingOf('listMessages', { userId: 'usr_1' }, { unread: true })),
  );
});

test('every changed character makes a cursor invalid (API-142)', () => {
  const cursor = cursors.encode(listing, [17, 'msg_1']);
  for (let i = 0; i < cursor.length; i++) {
    const changed = `${cursor.slice(0, i)}${cursor[i] === 'A' ? 'B' : 'A'}${cursor.slice(i + 1)}`;
    refused('invalid_cursor', 'malformed', () => cursors.decode(listing, changed));
  }
  for (const text of ['', 'x', '!', `${cursor}=`, `${cursor}A`, cursor.slice(0, -1), 'AAAA'.repeat(40)]) {
    refused('invalid_cursor', 'malformed', () => cursors.decode(listing, text));
  }
  refused('invalid_cursor', 'malformed', () => new Cursors(randomBytes(32), 3_600).decode(listing, cursor));
});

test('a cursor ends with its time (API-143)', () => {
  const ended = new Cursors(Buffer.alloc(32, 1), 0);
  refused('cursor_expired', undefined, () => ended.decode(listing, ended.encode(listing, [1])));
});

test('a limit below one, or that is no whole number, is refused wherever it comes from (API-138)', () => {
  const limitOf = (limit: unknown) =>
    pageRequest(cursors, { default: 25, cap: 100 }, listing, { limit }).limit;
  assert.equal(limitOf(undefined), 25);
  assert.equal(limitOf(1), 1);
  assert.equal(limitOf(101), 100);
  for (const limit of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '7', null])
    refused('validation_failed', undefined, () => limitOf(limit));
});

test('what the path names and what the query names are not the same filter', () => {
  const user = { userId: 'usr_1' };
  const inPath = listingOf('listEvents', user, {}, { id: 'cal_1' });
  assert.deepEqual(inPath, listingOf('listEvents', user, {}, { id: 'cal_1' }));
  assert.notDeepEqual(inPath, listingOf('listEvents', user, { id: 'cal_2' }, { id: 'cal_1' }));
});
