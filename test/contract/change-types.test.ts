import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CHANGE_TYPES, shownTypes } from '../../src/contract/change-types.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { ALL_PERMISSIONS, type Permission } from '../../src/contract/permissions.ts';

/** The kinds of objects whose changes a key with these permissions is shown. */
function kindsShown(...permissions: Permission[]): string {
  const types = [...shownTypes(new Set(permissions), undefined)];
  return [...new Set(types.map((type) => type.split('.')[0]))].join(' ');
}

describe('the types of changes that a key is shown', () => {
  test('mail is shown by the permissions of mail (CHANGE-14)', () => {
    assert.equal(kindsShown('mail.messages.read'), 'message folder');
    assert.equal(kindsShown('mail.settings.read'), 'filter');
  });

  test('contacts and calendars are shown by theirs (CHANGE-15)', () => {
    assert.equal(kindsShown('contacts.read'), 'contact address_book');
    assert.equal(kindsShown('calendar.events.read'), 'calendar event');
  });

  test('files are shown by either permission, written cells by two (CHANGE-16)', () => {
    assert.equal(kindsShown('files.read'), 'file file_folder access');
    assert.equal(kindsShown('docs.documents.read'), 'file file_folder document spreadsheet access');
    const isShown = (...permissions: Permission[]) =>
      shownTypes(new Set(permissions), undefined).has('spreadsheet.changed');
    assert.deepEqual(
      [
        isShown('docs.documents.read'),
        isShown('sheets.values.read'),
        isShown('docs.documents.read', 'sheets.values.read'),
      ],
      [false, false, true],
    );
  });

  test('the directory and keys are shown by theirs (CHANGE-17)', () => {
    assert.equal(kindsShown('directory.read'), 'user group resource');
    assert.equal(kindsShown('keys.read'), 'api_key');
  });

  test('a key with every permission is shown everything, one that only writes nothing', () => {
    assert.equal(shownTypes(new Set(ALL_PERMISSIONS), undefined).size, CHANGE_TYPES.length);
    assert.equal(kindsShown('mail.messages.write', 'files.write', 'keys.write'), '');
  });

  test('a kind names its types, and one that is not shown is refused by name (CHANGE-8)', () => {
    const mail = new Set<Permission>(['mail.messages.read']);
    assert.deepEqual(
      [...shownTypes(mail, ['folder.*', 'message.moved'])],
      ['folder.created', 'folder.changed', 'folder.deleted', 'message.moved'],
    );
    const refused = (error: unknown) => error instanceof ApiError && error.code === 'insufficient_scope';
    assert.throws(() => shownTypes(mail, ['message.*', 'contact.created']), refused);
  });
});
