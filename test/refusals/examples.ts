import { type Objects, QUIET_TYPES, QUIET_URL } from './world.ts';

/** A request that an operation answers with success, made of the objects of one user. */
export interface Example {
  /** Path and query. */
  path(of: Objects): string;
  body?(of: Objects): object;
  /** A body that is not JSON. */
  raw?: string;
  headers?: Record<string, string>;
  /**
   * Who may reach the object of the path: its user only, everyone in its workspace, or everyone because the path
   * names none.
   */
  reach: 'user' | 'workspace' | 'no object';
  /** Bodies that fit JSON but not the operation. */
  badBodies?: object[];
  /** Queries that do not fit the operation. */
  badQueries?: string[];
}

const BAD_NAMES = [
  { name: '' },
  // API-12
  { name: ' \u3000\u200b' },
  // API-10
  { name: 'a\u0000b' },
  { name: '\ud800' },
  { name: 'x'.repeat(256) },
  { name: 1 },
];

// DOC-3, DOC-7: titles and metadata that are none.
const BAD_DOCUMENT_FIELDS = [
  ...['', ' \u2003', 'a\nb', 'a\u0000b', '\ud800', 'x'.repeat(256), 1, null].map((title) => ({ title })),
  ...[[], 'x', null, 1, { a: '\u0000' }, { a: 'x'.repeat(16_384) }].map((metadata) => ({ metadata })),
  { folder_id: null },
];

// MAIL-16
const BAD_LABELS = ['', '\\Seen', 'a\nb', 'a\u007f', 'a\u0085b', '\u009f', 'x'.repeat(256), '\udc00', 1];

const CONDITION = { field: 'subject', op: 'contains', value: 'x' };
const ACTION = { type: 'mark_read' };
const RULE = { conditions: [CONDITION], actions: [ACTION] };

// MAIL-83
const BAD_DRAFTS = [
  { to: 'owner@localhost' },
  { to: ['owner'] },
  { cc: [1] },
  { bcc: [''] },
  { bcc: ['Owner\r\nBcc: x@y.example <owner@localhost>'] },
  { to: Array(501).fill('a@b.example'), cc: Array(500).fill('a@b.example') },
  { subject: 'a\nb' },
  { subject: 'x'.repeat(999) },
  { text: 'a\u0000b' },
  { html: '\ud800' },
  { file_ids: 'x' },
  { file_ids: ['x', 'x'] },
  { reply_to_message_id: 1 },
  { id: 'drf_x' },
];

const BAD_RULES = [
  {},
  // FILTER-7
  { conditions: [], actions: [ACTION] },
  { conditions: [CONDITION], actions: [] },
  // FILTER-7
  { conditions: Array(101).fill(CONDITION), actions: [ACTION] },
  { conditions: [CONDITION], actions: Array(21).fill(ACTION) },
  // FILTER-6
  { ...RULE, match: 'none' },
  { ...RULE, surprise: 1 },
  ...[
    { field: 'bcc' },
    { field: 'header:' },
    { field: 'header:a b' },
    { op: 'like' },
    // FILTER-12
    { value: '' },
    // FILTER-12
    { value: 'x'.repeat(1_001) },
    { value: '\u0000' },
    { value: 1 },
    { surprise: 1 },
  ].map((bad) => ({ ...RULE, conditions: [{ ...CONDITION, ...bad }] })),
  ...[
    { type: 'forward' },
    // FILTER-18
    { type: 'move' },
    // FILTER-19
    { type: 'move', folder: 'a//b' },
    { type: 'move', folder: '' },
    { type: 'move', folder: ' ' },
    { type: 'move', folder: 'a/ \u3000/b' },
    { type: 'move', folder: 'a\u0007' },
    // FILTER-19
    { type: 'move', folder: `${'a/'.repeat(20)}a` },
    // FILTER-20
    { type: 'set_flag' },
    { type: 'set_flag', flag: 'seen' },
    { type: 'mark_read', folder: 'a' },
    { type: 'move', folder: 'a', flag: 'read' },
  ].map((bad) => ({ ...RULE, actions: [bad] })),
].map((rule) => ({ rule }));

// FILE-12: titles of files and names of folders.
const BAD_FILE_NAMES = ['', ' \u00a0', 'a/b', 'a\\b', 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(256), 1, null];
const BAD_CONTACT_FIELDS = [
  { given_name: null },
  { notes: '\u001b' },
  { emails: 'a@b' },
  { emails: [{ address: '' }] },
  { emails: [{ address: ' ' }] },
  { phones: [{ number: '\u2003' }] },
  { name: ' ', given_name: '\u3000', family_name: '', organization: '\u00a0', emails: [], phones: [] },
  { emails: [{ address: 'a\nb' }] },
  { emails: [{ address: 'a@b', type: 1 }] },
  { emails: [{ address: 'a@b', kind: 'work' }] },
  { emails: Array.from({ length: 101 }, () => ({ address: 'a@b' })) },
  { phones: [{ type: 'work' }] },
  { phones: [{ number: 5 }] },
];

// SHEET-7, SHEET-8, SHEET-20, SHEET-67, SHEET-68: values that no write takes.
const BAD_FORMATS = [
  null,
  'x',
  ['0'],
  [[0]],
  [[true]],
  [[{}]],
  [[['0']]],
  [['']],
  [['0\u0000']],
  [['\ud800']],
  [['not a format']],
  [['0"']],
  [['0', null, '[Pink]0']],
  [['0'.repeat(256)]],
  Array(1_001).fill(Array(100).fill('0')),
];

const BAD_VALUES = [
  null,
  'x',
  [1],
  [[null]],
  [[{}]],
  [[{ text: 5 }]],
  [[{ text: 'x', date: '2026-11-23' }]],
  [[{ date: '2026-02-30' }]],
  [[{ date: '23.11.2026' }]],
  [[{ datetime: '2026-11-23' }]],
  [[{ datetime: '1899-12-31T00:00:00' }]],
  [[{ number: 1 }]],
  [[['x']]],
  [['a\u0000b']],
  [['\ud800']],
  [['x'.repeat(50_001)]],
  Array(1_001).fill(Array(100).fill(1)),
];

const BAD_INPUTS = ['RAW', 'typed', '', true, null];

const MARCH = 'start=2026-03-01T00:00:00Z&end=2026-04-01T00:00:00Z';
const WEEK = { start: '2026-03-02T00:00:00Z', end: '2026-03-09T00:00:00Z' };
const MEETING = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z' };

// CHANGE-63, CHANGE-64
const BAD_URLS = [
  '',
  'example.org',
  'http://example.org/',
  'ftp://example.org/',
  'https://user:password@example.org/',
  'https://example.org/#fragment',
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://10.1.2.3/',
  'https://0x7f000001/',
  'https://[::ffff:8.8.8.8]/',
  'https://example.org/ ',
  `https://example.org/${'x'.repeat(2_000)}`,
  1,
  null,
];
const BAD_WEBHOOK_TYPES = [[], ['nothing'], ['message'], ['*'], ['file.*', 'file.*'], 'file.*', null];

/** One example for each operation, by its id. */
export const EXAMPLES: Record<string, Example> = {
  listUsers: { path: () => '/v1/users?q=a', reach: 'no object', badQueries: ['q=%00'] },
  getOwnUser: { path: () => '/v1/users/me', reach: 'no object' },
  getUser: { path: ({ user }) => `/v1/users/${user}`, reach: 'workspace' },
  createUser: {
    path: () => '/v1/users',
    body: () => ({ email: `new-${Math.random()}@t.example`, name: 'New' }),
    reach: 'no object',
    badBodies: [
      ...BAD_NAMES.map((name) => ({ email: 'fine@t.example', ...name })),
      { name: 'N', email: 'no address' },
      { name: 'N', email: 'a b@t.example' },
      { name: 'N', email: 'fine@t.example', time_zone: 'Mars/Olympus' },
      { name: 'N', email: 'fine@t.example', aliases: ['FINE@t.example'] },
      { name: 'N', email: 'fine@t.example', aliases: 'other@t.example' },
      { name: 'N' },
    ],
  },
  updateUser: {
    path: ({ user }) => `/v1/users/${user}`,
    body: () => ({ share_availability: true }),
    reach: 'workspace',
    badBodies: [
      {},
      { state: 'gone' },
      { time_zone: '' },
      { share_availability: 'yes' },
      { working_hours: 'each' },
      { working_hours: [{ days: [1], start: '10:00', end: '09:00' }] },
      ...BAD_NAMES,
    ],
  },
  listGroups: { path: () => '/v1/groups', reach: 'no object' },
  createGroup: {
    path: () => '/v1/groups',
    body: ({ user }) => ({ name: 'More', member_ids: [user] }),
    reach: 'no object',
    badBodies: [
      ...BAD_NAMES.map((name) => ({ member_ids: [], ...name })),
      { name: 'N', member_ids: [1] },
      {},
    ],
  },
  updateGroup: {
    path: ({ group }) => `/v1/groups/${group}`,
    body: () => ({ name: 'Renamed' }),
    reach: 'workspace',
    badBodies: [{}, ...BAD_NAMES, { member_ids: null }],
  },
  listResources: { path: () => '/v1/resources', reach: 'no object' },
  createResource: {
    path: () => '/v1/resources',
    body: () => ({ name: 'Beamer', kind: 'equipment' }),
    reach: 'no object',
    badBodies: [
      ...BAD_NAMES.map((name) => ({ kind: 'room', ...name })),
      { name: 'N', kind: 'car' },
      { name: 'N' },
    ],
  },
  listApiKeys: { path: () => '/v1/api-keys', reach: 'no object' },
  getOwnApiKey: { path: () => '/v1/api-keys/me', reach: 'no object' },
  createApiKey: {
    path: () => '/v1/api-keys',
    body: () => ({ name: 'k', permissions: ['files.read'] }),
    reach: 'no object',
    badBodies: [
      { name: 'k', permissions: [] },
      { name: 'k', permissions: ['root'] },
      // SIGN-23
      { name: 'k' },
      { name: 'k', preset: 'root' },
      { name: 'k', preset: 'agent', permissions: ['files.read'] },
      { name: 'k', permissions: ['files.read'], expires_at: '2001-01-01T00:00:00Z' },
      { name: 'k', permissions: ['files.read'], expires_at: 'soon' },
      ...BAD_NAMES.map((name) => ({ permissions: ['files.read'], ...name })),
    ],
  },
  createSignInCode: { path: ({ user }) => `/v1/users/${user}/sign-in-codes`, reach: 'workspace' },
  revokeApiKey: {
    path: ({ key }) => `/v1/api-keys/${key}`,
    reach: 'workspace',
    badQueries: ['made_by=1', 'made_by=', 'made_by=TRUE', 'made_by=true&made_by=true', 'user_id=x'],
  },
  readChanges: {
    path: () => '/v1/changes',
    reach: 'no object',
    badQueries: ['limit=0', 'wait=-1', 'wait=x', 'types=nothing', 'types=message', 'since=1'],
  },
  search: {
    path: () => '/v1/search?q=kind:message',
    reach: 'no object',
    badQueries: ['limit=0', 'kinds=nothing', 'kinds=folder', 'q=', 'q=-engine', 'q=%22%22', 'in=trash'],
  },
  listWebhooks: { path: () => '/v1/webhooks', reach: 'no object' },
  getWebhook: { path: ({ webhook }) => `/v1/webhooks/${webhook}`, reach: 'user' },
  createWebhook: {
    path: () => '/v1/webhooks',
    body: () => ({ url: QUIET_URL, types: QUIET_TYPES }),
    reach: 'no object',
    badBodies: [
      {},
      { url: QUIET_URL },
      { types: QUIET_TYPES },
      ...BAD_URLS.map((url) => ({ url, types: QUIET_TYPES })),
      ...BAD_WEBHOOK_TYPES.map((types) => ({ url: QUIET_URL, types })),
      ...['a\u0000b', '\ud800', 'x'.repeat(256), 1].map((name) => ({
        url: QUIET_URL,
        types: QUIET_TYPES,
        name,
      })),
      { url: QUIET_URL, types: QUIET_TYPES, secret: 'whsec_eA==' },
      { url: QUIET_URL, types: QUIET_TYPES, state: 'active' },
    ],
  },
  updateWebhook: {
    path: ({ webhook }) => `/v1/webhooks/${webhook}`,
    body: () => ({ name: 'Renamed' }),
    reach: 'user',
    badBodies: [
      {},
      { state: 'active' },
      ...BAD_URLS.map((url) => ({ url })),
      ...BAD_WEBHOOK_TYPES.map((types) => ({ types })),
      { name: 1 },
    ],
  },
  deleteWebhook: { path: ({ removableWebhook }) => `/v1/webhooks/${removableWebhook}`, reach: 'user' },
  testWebhook: { path: ({ webhook }) => `/v1/webhooks/${webhook}/test`, reach: 'user' },
  resumeWebhook: { path: ({ otherWebhook }) => `/v1/webhooks/${otherWebhook}/resume`, reach: 'user' },
  listWebhookAttempts: { path: ({ webhook }) => `/v1/webhooks/${webhook}/attempts`, reach: 'user' },
  listDeadDeliveries: { path: ({ webhook }) => `/v1/webhooks/${webhook}/dead`, reach: 'user' },
  redeliverDeadDelivery: {
    path: ({ webhook, deadDelivery }) => `/v1/webhooks/${webhook}/dead/${deadDelivery}/redeliver`,
    reach: 'user',
  },
  listMailFolders: { path: () => '/v1/folders', reach: 'no object' },
  createMailFolder: {
    path: () => '/v1/folders',
    body: () => ({ name: `New ${Math.random()}` }),
    reach: 'no object',
    badBodies: [...BAD_NAMES, { name: 'a/b' }, { name: 'a\u009fb' }, { name: 'fine', parent_id: null }, {}],
  },
  updateMailFolder: {
    path: ({ folder }) => `/v1/folders/${folder}`,
    body: () => ({ name: 'Renamed' }),
    reach: 'user',
    badBodies: [{}, ...BAD_NAMES, { name: '/' }, { parent_id: 1 }],
  },
  deleteMailFolder: { path: ({ removableFolder }) => `/v1/folders/${removableFolder}`, reach: 'user' },
  listLabels: { path: () => '/v1/labels', reach: 'no object', badQueries: ['limit=0', 'label=x'] },
  changeMessageFlags: {
    path: ({ folder }) => `/v1/folders/${folder}/messages/flags`,
    body: ({ message }) => ({ message_ids: [message], op: 'add', flags: ['read'], labels: ['new'] }),
    reach: 'user',
    badBodies: [
      // API-158, MAIL-54
      { message_ids: [], op: 'add' },
      { message_ids: Array(1_001).fill('msg_x'), op: 'add' },
      { message_ids: 'msg_x', op: 'add' },
      { message_ids: ['msg_\0'], op: 'add' },
      { message_ids: ['msg_x'] },
      // MAIL-49
      { message_ids: ['msg_x'], op: 'toggle' },
      { message_ids: ['msg_x'], op: 'add', flags: ['urgent'] },
      { message_ids: ['msg_x'], op: 'add', flags: 'read' },
      ...BAD_LABELS.map((label) => ({ message_ids: ['msg_x'], op: 'set', labels: [label] })),
      { message_ids: ['msg_x'], op: 'set', labels: Array(101).fill('x') },
      { op: 'add', flags: ['read'] },
    ],
  },
  moveMessages: {
    path: ({ folder }) => `/v1/folders/${folder}/messages/move`,
    body: ({ folder, message }) => ({ message_ids: [message], to_folder_id: folder }),
    reach: 'user',
    badBodies: [
      { message_ids: [], to_folder_id: 'fld_x' },
      { message_ids: Array(1_001).fill('msg_x'), to_folder_id: 'fld_x' },
      { message_ids: [1], to_folder_id: 'fld_x' },
      // MAIL-57
      { message_ids: ['msg_x'], to_folder_id: null },
      { message_ids: ['msg_x'] },
    ],
  },
  changeMessages: {
    path: () => '/v1/messages/batch',
    body: ({ message }) => ({ message_ids: [message], add_labels: ['batched'] }),
    reach: 'no object',
    badBodies: [
      { message_ids: ['msg_x'] },
      { add_flags: ['read'] },
      { message_ids: [], add_flags: ['read'] },
      { message_ids: Array(1_001).fill('msg_x'), add_flags: ['read'] },
      { message_ids: ['msg_x'], add_flags: ['urgent'] },
      { message_ids: ['msg_x'], add_flags: ['read'], remove_flags: ['read'] },
      { message_ids: ['msg_x'], add_labels: ['a'], remove_labels: ['a'] },
      { message_ids: ['msg_x'], move_to: null },
      ...BAD_LABELS.map((label) => ({ message_ids: ['msg_x'], add_labels: [label] })),
    ],
  },
  expungeMailFolder: { path: ({ folder }) => `/v1/folders/${folder}/expunge`, reach: 'user' },
  restoreMessage: { path: ({ message }) => `/v1/messages/${message}/restore`, reach: 'user' },
  listMessages: {
    path: ({ folder }) => `/v1/messages?folder_id=${folder}`,
    reach: 'no object',
    badQueries: [
      // MAIL-31
      'flag=urgent',
      'flag=read&flag=seen',
      'unread=maybe',
      'unread=true&unread=true',
      'label=%00',
      'before=yesterday',
      'after=2026-02-30T00:00:00Z',
      'thread_id=a&thread_id=b',
    ],
  },
  listThreadMessages: { path: ({ thread }) => `/v1/threads/${thread}/messages`, reach: 'user' },
  getMessage: { path: ({ message }) => `/v1/messages/${message}`, reach: 'user' },
  getRawMessage: { path: ({ message }) => `/v1/messages/${message}/raw`, reach: 'user' },
  getMessageHtml: {
    path: ({ message }) => `/v1/messages/${message}/html`,
    reach: 'user',
    badQueries: ['images=all', 'images=', 'images=none&images=remote', 'image=none'],
  },
  getAttachment: {
    path: ({ message, attachment }) => `/v1/messages/${message}/attachments/${attachment}`,
    reach: 'user',
  },
  saveAttachment: {
    path: ({ message, attachment }) => `/v1/messages/${message}/attachments/${attachment}/save`,
    body: () => ({ title: 'Saved' }),
    reach: 'user',
    badBodies: [{ title: '' }, { title: 'a/b' }, { title: 1 }, { folder_id: null }],
  },
  appendMessage: {
    path: ({ folder }) => `/v1/folders/${folder}/messages`,
    raw: 'Subject: x\r\n\r\nbody',
    reach: 'user',
    badQueries: [
      'flag=urgent',
      'label=%5Cleading',
      'label=',
      `label=${'x'.repeat(256)}`,
      'label=a%0Ab',
      'label=%00',
    ],
  },
  listCalendars: { path: () => '/v1/calendars', reach: 'no object' },
  createCalendar: {
    path: () => '/v1/calendars',
    body: () => ({ name: 'Work', color: '#3366cc' }),
    reach: 'no object',
    // CAL-6, CAL-7
    badBodies: [
      {},
      ...BAD_NAMES,
      ...['red', '#12', '#1234', '#gggggg', ''].map((color) => ({ name: 'N', color })),
      { name: 'N', time_zone: 'Mars/Olympus' },
    ],
  },
  updateCalendar: {
    path: ({ calendar }) => `/v1/calendars/${calendar}`,
    body: () => ({ name: 'Private' }),
    reach: 'user',
    badBodies: [{}, ...BAD_NAMES, { color: '3366cc' }, { time_zone: '' }],
  },
  listEventInstances: {
    path: ({ calendar }) => `/v1/calendars/${calendar}/events?${MARCH}`,
    reach: 'user',
    badQueries: ['start=2026-03-01T00:00:00Z', 'q=%00'],
  },
  getEvent: {
    path: ({ calendar, event }) => `/v1/calendars/${calendar}/events/${event}`,
    reach: 'user',
  },
  listInvitations: {
    path: () => `/v1/invitations?${MARCH}`,
    reach: 'no object',
    badQueries: ['start=2026-03-01T00:00:00Z', 'q=%00', 'user_id=usr_1'],
  },
  createEvent: {
    path: ({ calendar }) => `/v1/calendars/${calendar}/events`,
    body: () => MEETING,
    reach: 'user',
    // CAL-9, CAL-12, CAL-18
    badBodies: [
      { starts_at: MEETING.starts_at },
      { starts_at: MEETING.ends_at, ends_at: MEETING.starts_at },
      { ...MEETING, starts_at: '2026-02-30T09:00:00Z' },
      { ...MEETING, title: 'Board' },
      { ...MEETING, all_day: true },
      { ...MEETING, time_zone: 'Mars/Olympus' },
      { ...MEETING, status: 'maybe' },
      { ...MEETING, transparency: 'glass' },
      { ...MEETING, notify: 'some' },
      { ...MEETING, attendees: ['nobody'] },
      { ...MEETING, resources: [1] },
      ...['RRULE', 'RRULE:FREQ=NEVER', 'RRULE:FREQ=MINUTELY', 'EXDATE:x', 'SUMMARY:Board', '\u0000'].map(
        (line) => ({
          ...MEETING,
          recurrence: [line],
        }),
      ),
    ],
  },
  updateEvent: {
    path: ({ calendar, event }) => `/v1/calendars/${calendar}/events/${event}`,
    body: () => ({ transparency: 'free' }),
    reach: 'user',
    badBodies: [
      {},
      { description: 'Board' },
      { starts_at: 'soon' },
      { recurrence: ['RRULE:FREQ=NEVER'] },
      { status: null },
      { notify: true },
    ],
  },
  deleteEvent: {
    path: ({ calendar, removableEvent }) => `/v1/calendars/${calendar}/events/${removableEvent}`,
    reach: 'user',
    badQueries: ['notify=some', 'notify='],
  },
  respondToEvent: {
    path: ({ event }) => `/v1/events/${event}/response`,
    body: () => ({ response: 'declined' }),
    reach: 'user',
    badBodies: [{}, { response: 'perhaps' }, { response: 'accepted', comment: 'gladly' }],
  },
  importEvents: {
    path: ({ calendar }) => `/v1/calendars/${calendar}/import`,
    raw: 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:x\r\nDTSTART:20260302T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    reach: 'user',
  },
  queryFreeBusy: {
    path: () => '/v1/freebusy',
    body: () => ({ attendees: ['ada@t.example'], ...WEEK }),
    reach: 'no object',
    badBodies: [
      WEEK,
      { attendees: [], ...WEEK },
      { attendees: ['a@b'], ...WEEK, start: WEEK.end },
      { attendees: ['a@b'], ...WEEK, end: '2027-03-03T00:00:01Z' },
      { attendees: 'a@b', ...WEEK },
      { attendees: Array.from({ length: 201 }, (_, i) => `a${i}@b`), ...WEEK },
    ],
  },
  findTime: {
    path: () => '/v1/freebusy/find',
    body: () => ({ attendees: ['ada@t.example'], ...WEEK }),
    reach: 'no object',
    badBodies: [
      { ...WEEK, duration_minutes: 0 },
      { ...WEEK, max_results: 0 },
      { ...WEEK, time_zone: 'Mars/Olympus' },
      { ...WEEK, working_hours: [] },
      { ...WEEK, working_hours: 'all' },
      { ...WEEK, strict: 'yes' },
      { ...WEEK, ignore_event_id: '' },
      { ...WEEK, working_hours: [{ days: [0], start: '09:00', end: '17:00' }] },
      { ...WEEK, working_hours: [{ days: [1], start: '17:00', end: '09:00' }] },
      { ...WEEK, resources: [''] },
    ],
  },
  listMailFilters: { path: () => '/v1/mail/filters', reach: 'no object' },
  getMailFilter: { path: ({ filter }) => `/v1/mail/filters/${filter}`, reach: 'user' },
  createMailFilter: {
    path: () => '/v1/mail/filters',
    body: () => ({ name: 'New', priority: 5, rule: RULE }),
    reach: 'no object',
    badBodies: [
      ...BAD_NAMES.map((name) => ({ priority: 1, rule: RULE, ...name })),
      ...BAD_RULES.map((rule) => ({ name: 'n', priority: 1, ...rule })),
      // FILTER-3
      { name: 'n', priority: 1.5, rule: RULE },
      { name: 'n', priority: 1e300, rule: RULE },
      { name: 'n', priority: '1', rule: RULE },
      { name: 'n', priority: 1, rule: RULE, enabled: 'yes' },
      { name: 'n', priority: 1 },
      { name: 'n', rule: RULE },
      { priority: 1, rule: RULE },
    ],
  },
  updateMailFilter: {
    path: ({ filter }) => `/v1/mail/filters/${filter}`,
    body: () => ({ enabled: false }),
    reach: 'user',
    badBodies: [{}, { enabled: null }, { priority: null }, ...BAD_NAMES, ...BAD_RULES],
  },
  deleteMailFilter: { path: ({ filter }) => `/v1/mail/filters/${filter}`, reach: 'user' },
  previewMailFilter: {
    path: () => '/v1/mail/filters/preview',
    body: ({ folder }) => ({ rule: RULE, folder_id: folder, limit: 5 }),
    reach: 'no object',
    badBodies: [
      {},
      { rule: RULE, limit: 0 },
      { rule: RULE, limit: 1.5 },
      { rule: RULE, folder_id: 1 },
      ...BAD_RULES,
    ],
  },
  applyMailFilter: {
    path: ({ filter }) => `/v1/mail/filters/${filter}/apply`,
    body: ({ folder }) => ({ folder_id: folder }),
    reach: 'user',
    badBodies: [{}, { folder_id: 1 }],
  },
  createDraft: {
    path: () => '/v1/drafts',
    body: () => ({ to: ['Owner <owner@localhost>'], subject: 'Hello', text: 'Hello' }),
    reach: 'no object',
    badBodies: BAD_DRAFTS,
  },
  getDraft: { path: ({ draft }) => `/v1/drafts/${draft}`, reach: 'user' },
  replaceDraft: {
    path: ({ draft }) => `/v1/drafts/${draft}`,
    body: () => ({ bcc: ['owner@localhost'], html: '<p>Hello</p>' }),
    headers: { 'if-match': '*' },
    reach: 'user',
    badBodies: BAD_DRAFTS,
  },
  deleteDraft: { path: ({ removableDraft }) => `/v1/drafts/${removableDraft}`, reach: 'user' },
  sendDraft: { path: ({ sendableDraft }) => `/v1/drafts/${sendableDraft}/send`, reach: 'user' },
  sendMessage: {
    path: () => '/v1/messages',
    body: ({ message }) => ({
      to: ['Owner <owner@localhost>'],
      subject: 'Hello',
      text: 'Hello',
      reply_to_message_id: message,
    }),
    reach: 'no object',
    badBodies: [
      {},
      { to: [] },
      { to: 'owner@localhost' },
      { to: ['owner'] },
      { to: ['Owner <owner@localhost'] },
      { to: ['owner@localhost, other@localhost'] },
      { to: ['a@..b'] },
      { to: ['a@-b-'] },
      { to: [`${'x'.repeat(260)}@localhost`] },
      { to: ['Owner\r\nBcc: x@y.example <owner@localhost>'] },
      { to: ['owner@localhost'], cc: [1] },
      { to: ['owner@localhost'], bcc: [''] },
      { to: ['owner@localhost'], subject: 'a\nb' },
      { to: ['owner@localhost'], subject: 'x'.repeat(999) },
      { to: ['owner@localhost'], text: 'a\u0000b' },
      { to: ['owner@localhost'], html: '\ud800' },
      { to: ['owner@localhost'], file_ids: 'x' },
      { to: ['owner@localhost'], file_ids: ['x', 'x'] },
      { to: ['owner@localhost'], reply_to_message_id: null },
    ],
  },
  listFiles: {
    path: () => '/v1/files?q=FILE&trashed=false',
    reach: 'no object',
    badQueries: ['q=%00', `q=${'x'.repeat(256)}`, 'trashed=maybe', 'shared=maybe', 'folder_id=a&folder_id=b'],
  },
  getFile: { path: ({ file }) => `/v1/files/${file}`, reach: 'user' },
  updateFile: {
    path: ({ file }) => `/v1/files/${file}`,
    body: ({ fileFolder }) => ({ title: 'Renamed', folder_id: fileFolder }),
    reach: 'user',
    badBodies: [{}, { folder_id: null }, ...BAD_FILE_NAMES.map((title) => ({ title }))],
  },
  trashFile: { path: ({ file }) => `/v1/files/${file}`, reach: 'user' },
  restoreFile: { path: ({ file }) => `/v1/files/${file}/restore`, reach: 'user' },
  getFileContent: { path: ({ file }) => `/v1/files/${file}/content`, reach: 'user' },
  listFileFolders: {
    path: () => '/v1/file-folders?trashed=true',
    reach: 'no object',
    badQueries: ['trashed=1', 'limit=10'],
  },
  createFileFolder: {
    path: () => '/v1/file-folders',
    body: ({ fileFolder }) => ({ name: 'More', parent_id: fileFolder }),
    reach: 'no object',
    badBodies: [{}, { name: 'N', parent_id: 1 }, ...BAD_FILE_NAMES.map((name) => ({ name }))],
  },
  updateFileFolder: {
    path: ({ fileFolder }) => `/v1/file-folders/${fileFolder}`,
    body: () => ({ name: 'Renamed', parent_id: '' }),
    reach: 'user',
    badBodies: [{}, { parent_id: false }, ...BAD_FILE_NAMES.map((name) => ({ name }))],
  },
  trashFileFolder: { path: ({ fileFolder }) => `/v1/file-folders/${fileFolder}`, reach: 'user' },
  restoreFileFolder: { path: ({ fileFolder }) => `/v1/file-folders/${fileFolder}/restore`, reach: 'user' },
  shareFile: {
    path: ({ file }) => `/v1/files/${file}/permissions`,
    body: ({ user }) => ({ principal_id: user, role: 'viewer' }),
    reach: 'user',
    badBodies: [
      { role: 'viewer' },
      { principal_id: 'usr_1', email: 'ada@example.org', role: 'viewer' },
      { principal_type: 'group', email: 'ada@example.org', role: 'viewer' },
      { email: '', role: 'viewer' },
      { principal_id: 'usr_1', role: 'viewer', notify: 1 },
      { principal_id: 'usr_1' },
      { principal_id: 'usr_1', role: 'owner' },
      { principal_id: 'usr_1', role: 'viewer', principal_type: 'everyone' },
      { principal_id: 1, role: 'viewer' },
    ],
  },
  listFilePermissions: { path: ({ file }) => `/v1/files/${file}/permissions`, reach: 'user' },
  revokeFilePermission: {
    path: ({ file, filePermission }) => `/v1/files/${file}/permissions/${filePermission}`,
    reach: 'user',
  },
  shareFileFolder: {
    path: ({ fileFolder }) => `/v1/file-folders/${fileFolder}/permissions`,
    body: ({ user }) => ({ principal_id: user, role: 'viewer' }),
    reach: 'user',
    badBodies: [
      { role: 'viewer' },
      { principal_id: 'usr_1', email: 'ada@example.org', role: 'viewer' },
      { principal_id: 'usr_1' },
      { principal_id: 'usr_1', role: 'owner' },
      { principal_id: 1, role: 'viewer' },
    ],
  },
  listFileFolderPermissions: {
    path: ({ fileFolder }) => `/v1/file-folders/${fileFolder}/permissions`,
    reach: 'user',
  },
  revokeFileFolderPermission: {
    path: ({ fileFolder, fileFolderPermission }) =>
      `/v1/file-folders/${fileFolder}/permissions/${fileFolderPermission}`,
    reach: 'user',
  },
  listFileFolderAccess: { path: ({ fileFolder }) => `/v1/file-folders/${fileFolder}/access`, reach: 'user' },
  listFileAccess: { path: ({ file }) => `/v1/files/${file}/access`, reach: 'user' },
  startUpload: {
    path: () => '/v1/files/uploads',
    body: ({ fileFolder }) => ({ filename: 'film.bin', size: 10, folder_id: fileFolder }),
    reach: 'no object',
    badBodies: [
      ...BAD_FILE_NAMES.map((filename) => ({ filename, size: 1 })),
      ...[-1, 1.5, '1', null, 2 ** 53].map((size) => ({ filename: 'a', size })),
      { filename: 'a' },
      { size: 1 },
      { filename: 'a', size: 1, mime_type: 1 },
      { filename: 'a', size: 1, folder_id: null },
    ],
  },
  listUploads: { path: () => '/v1/files/uploads', reach: 'no object', badQueries: ['limit=0', 'state=open'] },
  getUpload: { path: ({ upload }) => `/v1/files/uploads/${upload}`, reach: 'user' },
  abortUpload: { path: ({ otherUpload }) => `/v1/files/uploads/${otherUpload}`, reach: 'user' },
  uploadPart: {
    path: ({ upload }) => `/v1/files/uploads/${upload}/parts/1`,
    raw: 'x',
    reach: 'user',
  },
  completeUpload: { path: ({ upload }) => `/v1/files/uploads/${upload}/complete`, reach: 'user' },
  uploadFile: {
    path: () => '/v1/files?filename=a.txt',
    raw: 'text',
    reach: 'no object',
    badQueries: ['filename=b.txt', 'folder_id=%00'],
  },
  listDocuments: {
    path: () => '/v1/documents?q=NOTES&trashed=false',
    reach: 'no object',
    badQueries: ['q=%00', `q=${'x'.repeat(256)}`, 'trashed=maybe', 'type=file', 'folder_id=a&folder_id=b'],
  },
  getDocument: { path: ({ document }) => `/v1/documents/${document}`, reach: 'user' },
  createDocument: {
    path: () => '/v1/documents',
    body: ({ fileFolder, file }) => ({
      type: 'document',
      title: 'More',
      folder_id: fileFolder,
      metadata: { a: 1 },
      source_file_id: file,
    }),
    reach: 'no object',
    badBodies: [
      {},
      { type: 'file', title: 'T' },
      { type: 'document' },
      ...BAD_DOCUMENT_FIELDS.map((bad) => ({ type: 'document', title: 'T', ...bad })),
      { type: 'document', title: 'T', source_file_id: null },
    ],
  },
  exportSpreadsheet: {
    path: ({ spreadsheet }) => `/v1/spreadsheets/${spreadsheet}/export`,
    reach: 'user',
    badQueries: ['format=ods', 'format=xlsx&format=csv', 'unknown=1'],
  },
  updateDocument: {
    path: ({ document }) => `/v1/documents/${document}`,
    body: ({ fileFolder }) => ({ title: 'Renamed', folder_id: fileFolder, metadata: {} }),
    reach: 'user',
    badBodies: [{}, { type: 'spreadsheet' }, ...BAD_DOCUMENT_FIELDS],
  },
  trashDocument: { path: ({ spreadsheet }) => `/v1/documents/${spreadsheet}`, reach: 'user' },
  restoreDocument: { path: ({ spreadsheet }) => `/v1/documents/${spreadsheet}/restore`, reach: 'user' },
  getSpreadsheet: { path: ({ spreadsheet }) => `/v1/spreadsheets/${spreadsheet}`, reach: 'user' },
  readRange: {
    path: ({ spreadsheet }) => `/v1/spreadsheets/${spreadsheet}/values/A1:B2`,
    reach: 'user',
    badQueries: ['render=both', 'render=value&render=value', 'sheet=Sheet1'],
  },
  writeRange: {
    path: ({ spreadsheet }) => `/v1/spreadsheets/${spreadsheet}/values/A1`,
    body: () => ({ values: [[Math.random(), 'x', true, '=A1']] }),
    reach: 'user',
    badBodies: [
      {},
      ...BAD_VALUES.map((values) => ({ values })),
      { values: [[1]], sheet: 'Sheet1' },
      ...BAD_INPUTS.map((input) => ({ values: [[1]], input })),
    ],
  },
  readFormats: {
    path: ({ spreadsheet }) => `/v1/spreadsheets/${spreadsheet}/formats/A1:B2`,
    reach: 'user',
    badQueries: ['render=value', 'sheet=Sheet1'],
  },
  writeFormats: {
    path: ({ spreadsheet }) => `/v1/spreadsheets/${spreadsheet}/formats/A1`,
    body: () => ({ formats: [['0.00%', null, `0"${Math.random()}"`]] }),
    reach: 'user',
    badBodies: [{}, ...BAD_FORMATS.map((formats) => ({ formats })), { formats: [['0']], sheet: 'Sheet1' }],
  },
  appendRows: {
    path: ({ spreadsheet }) => `/v1/spreadsheets/${spreadsheet}/values/append`,
    body: () => ({ values: [['more']] }),
    reach: 'user',
    badBodies: [
      {},
      ...BAD_VALUES.map((values) => ({ values })),
      { values: [[1]], sheet: null },
      ...BAD_INPUTS.map((input) => ({ values: [[1]], input })),
      ...['', 'A', 'A1:B2', '1:2', 'Sheet1!A:B', 'A:XFE', 5, null].map((columns) => ({
        values: [[1]],
        columns,
      })),
      ...['', 'x'.repeat(256), 'a\u0000', 5, null].map((row_key) => ({ values: [[1]], row_key })),
      ...[[], [['']], [[1], [2]]].map((values) => ({ values, row_key: 'k' })),
    ],
  },
  writeBatch: {
    path: ({ spreadsheet }) => `/v1/spreadsheets/${spreadsheet}/values/batch`,
    body: () => ({ data: [{ range: 'B2:C3', values: [[Math.random()]] }] }),
    reach: 'user',
    badBodies: [
      {},
      { data: [] },
      { data: Array(1_001).fill({ range: 'A1', values: [] }) },
      { data: [{ range: 'A1' }] },
      { data: [{ values: [[1]] }] },
      { data: [{ range: 'nowhere', values: [[1]] }] },
      { data: [{ range: 1, values: [[1]] }] },
      ...BAD_VALUES.map((values) => ({ data: [{ range: 'A1', values }] })),
      ...BAD_INPUTS.map((input) => ({ data: [{ range: 'A1', values: [[1]] }], input })),
    ],
  },
  changeSpreadsheetStructure: {
    path: ({ spreadsheet }) => `/v1/spreadsheets/${spreadsheet}/structure`,
    body: () => ({ operations: [{ type: 'insert_rows', sheet: 'Sheet1', start: 1, count: 1 }] }),
    headers: { 'if-match': '*' },
    reach: 'user',
    badBodies: [
      {},
      { operations: [] },
      ...[
        { type: 'insert_rows' },
        { type: 'insert_rows', sheet: 'Sheet1', start: 0, count: 1 },
        { type: 'insert_rows', sheet: 'Sheet1', start: 1, count: 1_048_577 },
        { type: 'delete_columns', sheet: 'Sheet1', start: 16_385, count: 1 },
        { type: 'delete_columns', sheet: 'Sheet1', start: 1.5, count: 1 },
        { type: 'add_sheet', sheet: '' },
        { type: 'add_sheet', sheet: 'x'.repeat(32) },
        { type: 'add_sheet', sheet: 'a\u0000' },
        { type: 'add_sheet', sheet: 'a[b]' },
        { type: 'add_sheet', sheet: 'History' },
        { type: 'rename_sheet', sheet: 'Sheet1' },
        { type: 'delete_sheet', sheet: 'Sheet1', name: 'x' },
        { type: 'move_sheet', sheet: 'Sheet1' },
      ].map((operation) => ({ operations: [operation] })),
    ],
  },
  getDocumentContent: { path: ({ document }) => `/v1/documents/${document}/content`, reach: 'user' },
  putDocumentContent: {
    path: ({ document }) => `/v1/documents/${document}/content`,
    raw: '# More',
    headers: { 'if-match': '*' },
    reach: 'user',
  },
  exportDocument: {
    path: ({ document }) => `/v1/documents/${document}/export?format=html`,
    reach: 'user',
    badQueries: ['format=pdf', 'format='],
  },
  listDocumentRevisions: { path: ({ document }) => `/v1/documents/${document}/revisions`, reach: 'user' },
  getDocumentRevision: { path: ({ document }) => `/v1/documents/${document}/revisions/1`, reach: 'user' },
  listAddressBooks: { path: () => '/v1/address-books', reach: 'no object' },
  createAddressBook: {
    path: () => '/v1/address-books',
    body: () => ({ name: 'Club', description: '' }),
    reach: 'no object',
    badBodies: [{}, { name: 'N', description: '\u0007' }, { name: 'N', description: null }, ...BAD_NAMES],
  },
  updateAddressBook: {
    path: ({ book }) => `/v1/address-books/${book}`,
    body: () => ({ name: 'Renamed' }),
    reach: 'user',
    badBodies: [{}, { description: 'x'.repeat(1_001) }, ...BAD_NAMES],
  },
  importContacts: {
    path: ({ book }) => `/v1/address-books/${book}/import`,
    raw: 'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:New\r\nEND:VCARD\r\n',
    reach: 'user',
    badQueries: ['surprise=1'],
  },
  exportContacts: { path: ({ book }) => `/v1/address-books/${book}/export`, reach: 'user' },
  listContacts: {
    path: ({ book }) => `/v1/contacts?address_book_id=${book}`,
    reach: 'no object',
    badQueries: ['q=%00', 'q=a%0Ab', `q=${'x'.repeat(256)}`, 'q=a&q=b', 'trashed=maybe', 'trashed='],
  },
  getContact: { path: ({ contact }) => `/v1/contacts/${contact}`, reach: 'user' },
  createContact: {
    path: () => '/v1/contacts',
    body: ({ book }) => ({ address_book_id: book, name: 'New' }),
    reach: 'no object',
    badBodies: [
      {},
      { name: 'N' },
      { address_book_id: 'abk_x' },
      { address_book_id: 'abk_x', name: '', emails: [] },
      { address_book_id: 'abk_x', name: 'a\u0000b' },
      { address_book_id: 'abk_x', name: '\ud800' },
      ...BAD_CONTACT_FIELDS.map((field) => ({ address_book_id: 'abk_x', name: 'N', ...field })),
    ],
  },
  updateContact: {
    path: ({ contact }) => `/v1/contacts/${contact}`,
    body: () => ({ title: 'Countess' }),
    reach: 'user',
    badBodies: [
      {},
      { address_book_id: 1 },
      { name: '' },
      { name: 'x'.repeat(256) },
      { id: 'con_x' },
      ...BAD_CONTACT_FIELDS,
    ],
  },
  trashContact: { path: ({ contact }) => `/v1/contacts/${contact}`, reach: 'user' },
  restoreContact: { path: ({ contact }) => `/v1/contacts/${contact}/restore`, reach: 'user' },
};
