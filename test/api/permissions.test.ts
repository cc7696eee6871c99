/** Which permission allows which operations, tried with a key that has one permission and no other. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ALL_PERMISSIONS, type Permission } from '../../src/contract/permissions.ts';
import { operationsOf } from '../../src/start/server.ts';
import { makeKey } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { EXAMPLES } from '../refusals/examples.ts';
import { validRequest } from '../refusals/refusals.ts';
import { createWorld, type World } from '../refusals/world.ts';

/** By permission, the ids of the operations that it allows. */
const ALLOWED: Record<Permission, string> = {
  // API-95
  'mail.messages.read':
    'getAttachment getDraft getMessage getMessageHtml getRawMessage listLabels listMailFolders listMessages listThreadMessages saveAttachment',
  // API-96
  'mail.messages.write':
    'appendMessage changeMessageFlags changeMessages createDraft deleteDraft expungeMailFolder moveMessages replaceDraft restoreMessage',
  // API-97
  'mail.messages.send': 'sendDraft sendMessage',
  // API-98
  'mail.folders.write': 'createMailFolder deleteMailFolder updateMailFolder',
  // API-99
  'mail.settings.read': 'getMailFilter listMailFilters previewMailFilter',
  // API-100
  'mail.settings.write': 'applyMailFilter createMailFilter deleteMailFilter updateMailFilter',
  // API-101
  'contacts.read': 'exportContacts getContact listAddressBooks listContacts',
  // API-102
  'contacts.write':
    'createAddressBook createContact importContacts restoreContact trashContact updateAddressBook updateContact',
  // API-103
  'files.read':
    'getFile getFileContent listFileAccess listFileFolderAccess listFileFolderPermissions listFileFolders listFilePermissions listFiles',
  // API-104
  'files.write':
    'abortUpload completeUpload createFileFolder getUpload listUploads restoreFile restoreFileFolder startUpload trashFile trashFileFolder updateFile updateFileFolder uploadFile uploadPart',
  // API-94, API-105
  'files.share': 'revokeFileFolderPermission revokeFilePermission shareFile shareFileFolder',
  // API-91, API-106
  'docs.documents.read':
    'exportDocument getDocument getDocumentContent getDocumentRevision getFile listDocumentRevisions listDocuments listFiles',
  // API-107
  'docs.documents.write': 'createDocument putDocumentContent restoreDocument trashDocument updateDocument',
  // API-108
  'sheets.values.read': 'exportSpreadsheet getSpreadsheet readFormats readRange',
  // API-109
  'sheets.values.write': 'appendRows writeBatch writeFormats writeRange',
  // API-110
  'sheets.structure.write': 'changeSpreadsheetStructure',
  // API-91, API-111
  'calendar.freebusy.read': 'findTime listCalendars queryFreeBusy',
  // API-91, API-112
  'calendar.events.read': 'getEvent listCalendars listEventInstances listInvitations',
  // API-113
  'calendar.events.write':
    'createCalendar createEvent deleteEvent importEvents respondToEvent updateCalendar updateEvent',
  // API-114
  'directory.read': 'getOwnUser getUser listGroups listResources listUsers',
  // API-115
  'directory.write': 'createGroup createResource createUser updateGroup updateUser',
  // API-116
  'keys.read': 'listApiKeys',
  // API-117
  'keys.write': 'createApiKey createSignInCode revokeApiKey',
  // API-160, CHANGE-51
  'webhooks.read': 'getWebhook listDeadDeliveries listWebhookAttempts listWebhooks',
  // API-161, CHANGE-51
  'webhooks.write':
    'createWebhook deleteWebhook redeliverDeadDelivery resumeWebhook testWebhook updateWebhook',
};

/** What the examples of these operations ask for needs besides: a reply, a file, a key that has it. */
const BESIDE: Readonly<Record<string, Permission>> = {
  sendMessage: 'mail.messages.read',
  saveAttachment: 'files.write',
  createDocument: 'files.read',
  createApiKey: 'files.read',
  createSignInCode: 'directory.write',
  revokeApiKey: 'files.read',
  createWebhook: 'mail.messages.read',
  updateWebhook: 'mail.messages.read',
  redeliverDeadDelivery: 'mail.messages.read',
};

/** What any live key may ask for: each answers with what the permissions of the key show (CHANGE-4, CHANGE-8). */
const OF_ANY_KEY = ['getOwnApiKey', 'readChanges', 'search'];

const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);
const allows = (permission: Permission, id: string) => ALLOWED[permission].split(' ').includes(id);

test('every permission is one of the table, and every operation has a permission in it or takes any key', () => {
  assert.deepEqual(Object.keys(ALLOWED).sort(), [...ALL_PERMISSIONS].sort());
  const named = new Set([...OF_ANY_KEY, ...Object.values(ALLOWED).flatMap((ids) => ids.split(' '))]);
  assert.deepEqual([...named].sort(), operations.map(({ id }) => id).sort());
});

describe('a key with one permission', () => {
  let world: World;
  before(async () => {
    world = await createWorld(ANY_ENGINE);
  });
  after(() => world.app.stop());

  /** The permission that a request lacks, whatever else is wrong with it. */
  const lacking = async (operation: (typeof operations)[number], key: string) => {
    const example = EXAMPLES[operation.id];
    assert.ok(example);
    // Of another user: what belongs to the caller may be changed without a permission (API-93).
    const of = operation.id === 'updateUser' ? world.colleagues : world.mine;
    const { path, options } = validRequest(operation, example, of);
    const { status, json } = await world.app.request(operation.method, path, { ...options, key });
    return status === 403 ? json.error.details.missing_permission : undefined;
  };

  for (const permission of ALL_PERMISSIONS) {
    test(`that is ${permission} does what that allows and nothing else (API-91, API-92)`, async () => {
      const { key } = await makeKey(world.app, [permission]);
      for (const operation of operations) {
        const missing = await lacking(operation, key);
        const isAllowed = OF_ANY_KEY.includes(operation.id) || allows(permission, operation.id);
        if (isAllowed) assert.equal(missing, BESIDE[operation.id], operation.id);
        else assert.ok(missing && allows(missing, operation.id), `${operation.id} lacks ${missing}`);
      }
    });
  }

  test('changes without directory.write no more than the time zone and availability of its own user (API-93)', async () => {
    const { key } = await makeKey(world.app, ['keys.read']);
    const put = async (user: string, change: object) =>
      (await world.app.put(`/v1/users/${user}`, change, { key })).status;
    assert.equal(await put('me', { share_availability: false, time_zone: 'Europe/Rome' }), 200);
    assert.equal(await put('me', { share_availability: true, name: 'Ada' }), 403);
    assert.equal(await put(world.colleagues.user, { share_availability: true }), 403);
    const free = operations.filter(({ permissions }) => permissions.length === 0).map(({ id }) => id);
    assert.deepEqual(free, ['updateUser', ...OF_ANY_KEY]);
  });
});
