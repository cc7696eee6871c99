import type { Operation } from '../../src/contract/operation.ts';
import type { Objects } from '../refusals/world.ts';
import type { Place } from './places.ts';

export type Kind = keyof Objects;

/** How an id is answered that names nothing of the caller's. */
export type Outcome =
  /** 404 not_found. */
  | 'not found'
  /** "As a list filter it lists nothing." */
  | 'lists nothing'
  /** 400 messages_not_in_folder, which names it. */
  | 'not in the folder'
  /** Free/busy names it as unknown. */
  | 'unknown';

/** What an id at a place names. */
export interface Reference {
  kinds: readonly Kind[];
  outcome: Outcome;
  /** What the body must hold besides, for the id to be of this kind. */
  beside?: object;
  /** The place takes only what is in the object that the path names before it. */
  isWithin?: true;
}

/** What is shared by all of a workspace: there, another user's is as good as one's own. */
export const OF_THE_WORKSPACE: ReadonlySet<Kind> = new Set(['user', 'group', 'resource', 'key']);

/** What a listing shows of others by its nature: an invitation names the calendar that its event is on (CAL-64). */
export const SHOWN_BY: Readonly<Record<string, readonly Kind[]>> = { listInvitations: ['calendar'] };

/** By what leads to an id in a path; of two that fit, the longer says what it names. */
const IN_PATHS: Readonly<Record<string, readonly Kind[]>> = {
  '/v1/users/:id': ['user'],
  '/v1/groups/:id': ['group'],
  '/v1/api-keys/:id': ['key'],
  '/v1/folders/:id': ['folder', 'removableFolder'],
  '/v1/folders/:folder_id': ['folder', 'removableFolder'],
  '/v1/messages/:id': ['message'],
  '/v1/threads/:id': ['thread'],
  '/v1/messages/:id/attachments/:attachment_id': ['attachment'],
  '/v1/mail/filters/:id': ['filter'],
  '/v1/drafts/:id': ['draft', 'removableDraft', 'sendableDraft'],
  '/v1/files/:id': ['file'],
  '/v1/files/:id/permissions': ['file', 'document', 'spreadsheet'],
  '/v1/files/:id/permissions/:permission_id': ['filePermission'],
  '/v1/files/:id/access': ['file', 'document', 'spreadsheet'],
  '/v1/files/uploads/:session': ['upload', 'otherUpload'],
  '/v1/file-folders/:id': ['fileFolder'],
  '/v1/file-folders/:id/permissions/:permission_id': ['fileFolderPermission'],
  '/v1/documents/:id': ['document', 'spreadsheet'],
  '/v1/documents/:id/content': ['document'],
  '/v1/documents/:id/export': ['document'],
  '/v1/documents/:id/revisions': ['document'],
  '/v1/spreadsheets/:id': ['spreadsheet'],
  '/v1/address-books/:id': ['book'],
  '/v1/contacts/:id': ['contact'],
  '/v1/calendars/:id': ['calendar'],
  '/v1/calendars/:id/events/:event_id': ['event', 'removableEvent'],
  '/v1/events/:id': ['event', 'removableEvent'],
  '/v1/webhooks/:id': ['webhook', 'otherWebhook', 'removableWebhook'],
  '/v1/webhooks/:id/dead/:delivery': ['deadDelivery'],
};

/** Of which an object has several, and which name nothing outside of it. */
const WITHIN: ReadonlySet<string> = new Set(['attachment_id', 'permission_id', 'delivery']);

const DRIVE_FOLDER: Reference[] = [{ kinds: ['fileFolder'], outcome: 'not found' }];
const ROOM: Reference[] = [{ kinds: ['resource'], outcome: 'not found' }];

/** By operation, and parameter or member of the body. */
const IN_FIELDS: Readonly<Record<string, readonly Reference[]>> = {
  'createGroup member_ids': [{ kinds: ['user'], outcome: 'not found' }],
  'updateGroup member_ids': [{ kinds: ['user'], outcome: 'not found' }],
  'listApiKeys user_id': [{ kinds: ['user'], outcome: 'lists nothing' }],
  'createApiKey user_id': [{ kinds: ['user'], outcome: 'not found' }],
  'createMailFolder parent_id': [{ kinds: ['folder', 'removableFolder'], outcome: 'not found' }],
  'updateMailFolder parent_id': [{ kinds: ['folder', 'removableFolder'], outcome: 'not found' }],
  'listMessages folder_id': [{ kinds: ['folder', 'removableFolder'], outcome: 'lists nothing' }],
  'listMessages thread_id': [{ kinds: ['thread'], outcome: 'lists nothing' }],
  'previewMailFilter folder_id': [{ kinds: ['folder', 'removableFolder'], outcome: 'not found' }],
  'applyMailFilter folder_id': [{ kinds: ['folder', 'removableFolder'], outcome: 'not found' }],
  'changeMessageFlags message_ids': [{ kinds: ['message'], outcome: 'not in the folder' }],
  'moveMessages message_ids': [{ kinds: ['message'], outcome: 'not in the folder' }],
  'moveMessages to_folder_id': [{ kinds: ['folder', 'removableFolder'], outcome: 'not found' }],
  'changeMessages message_ids': [{ kinds: ['message'], outcome: 'not found' }],
  'changeMessages move_to': [{ kinds: ['folder', 'removableFolder'], outcome: 'not found' }],
  'saveAttachment folder_id': DRIVE_FOLDER,
  'sendMessage file_ids': [{ kinds: ['file'], outcome: 'not found' }],
  'sendMessage reply_to_message_id': [{ kinds: ['message'], outcome: 'not found' }],
  'createDraft file_ids': [{ kinds: ['file'], outcome: 'not found' }],
  'createDraft reply_to_message_id': [{ kinds: ['message'], outcome: 'not found' }],
  'replaceDraft file_ids': [{ kinds: ['file'], outcome: 'not found' }],
  'replaceDraft reply_to_message_id': [{ kinds: ['message'], outcome: 'not found' }],
  'listFiles folder_id': [{ kinds: ['fileFolder'], outcome: 'lists nothing' }],
  'updateFile folder_id': DRIVE_FOLDER,
  'createFileFolder parent_id': DRIVE_FOLDER,
  'updateFileFolder parent_id': DRIVE_FOLDER,
  'shareFile principal_id': [
    { kinds: ['user'], outcome: 'not found' },
    { kinds: ['group'], outcome: 'not found', beside: { principal_type: 'group' } },
  ],
  'shareFileFolder principal_id': [
    { kinds: ['user'], outcome: 'not found' },
    { kinds: ['group'], outcome: 'not found', beside: { principal_type: 'group' } },
  ],
  'startUpload folder_id': DRIVE_FOLDER,
  'uploadFile folder_id': DRIVE_FOLDER,
  'listDocuments folder_id': [{ kinds: ['fileFolder'], outcome: 'lists nothing' }],
  'createDocument folder_id': DRIVE_FOLDER,
  'createDocument source_file_id': [{ kinds: ['file'], outcome: 'not found' }],
  'updateDocument folder_id': DRIVE_FOLDER,
  'listContacts address_book_id': [{ kinds: ['book'], outcome: 'lists nothing' }],
  'createContact address_book_id': [{ kinds: ['book'], outcome: 'not found' }],
  'updateContact address_book_id': [{ kinds: ['book'], outcome: 'not found' }],
  'createEvent resources': ROOM,
  'updateEvent resources': ROOM,
  'queryFreeBusy resources': [{ kinds: ['resource'], outcome: 'unknown' }],
  'findTime resources': ROOM,
  'findTime ignore_event_id': [{ kinds: ['event', 'removableEvent'], outcome: 'not found' }],
  'findTime any_of_resources': ROOM,
};

/** Parameters of paths that count or measure. */
const NO_IDS: ReadonlySet<string> = new Set(['number', 'revision', 'range']);

/** Texts that name nothing that is stored under an id; people are found by address where the interface says so. */
const TEXTS: ReadonlySet<string> = new Set(
  (
    'add_flags add_labels address after aliases attendees bcc before cc color columns cursor date datetime description email end ends_at expires_at family_name field ' +
    'filename folder formats given_name html label labels mime_type kinds name notes number optional_attendees organization q ' +
    'range remove_flags remove_labels recurrence row_key sheet start starts_at subject text time_zone title to type url value values'
  ).split(' '),
);

/** What an id at this place names; nothing where no id stands. Throws for a place that the tables do not know. */
export function referencesAt(operation: Operation, place: Place): readonly Reference[] {
  if (place.in === 'path') return referencesInPath(operation.path, place.name);
  const references = IN_FIELDS[`${operation.id} ${place.name}`];
  if (references && !place.isNested) return references;
  if (!references && TEXTS.has(place.name)) return [];
  throw new Error(
    `${operation.id}: say in test/foreign-ids/references.ts whether ${place.name} names an object, and which`,
  );
}

function referencesInPath(path: string, name: string): Reference[] {
  if (NO_IDS.has(name)) return [];
  const [before = '', behind = ''] = path.split(new RegExp(`(?<=/:${name})(?=/|$)`));
  const [fixed = ''] = behind.split('/:');
  const steps = fixed.split('/').slice(1);
  const ways = steps.map((_, i) => [before, ...steps.slice(0, i + 1)].join('/')).reverse();
  const kinds = [...ways, before].map((way) => IN_PATHS[way]).find((found) => found !== undefined);
  if (!kinds) throw new Error(`say in test/foreign-ids/references.ts what ${before} names`);
  return [{ kinds, outcome: 'not found', ...(WITHIN.has(name) ? { isWithin: true } : {}) }];
}
