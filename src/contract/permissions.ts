/** Every permission a key can be granted, with what it allows. */
export const PERMISSIONS = {
  'mail.messages.read': 'List and read messages, mail folders and labels.',
  'mail.messages.write':
    'Add messages; keep drafts; change flags and labels; move, expunge and restore messages.',
  'mail.messages.send': 'Send messages and drafts.',
  'mail.folders.write': 'Create, rename, move and delete mail folders.',
  'mail.settings.read': 'Read and preview mail filters.',
  'mail.settings.write': 'Create, change, apply and remove mail filters.',
  'contacts.read': 'List and read contacts and address books.',
  'contacts.write': 'Create and change contacts and address books.',
  'files.read': 'List and read files and file folders, and who reaches them.',
  'files.write': 'Upload, rename, move, trash and restore files and file folders.',
  'files.share': 'Share files and documents, and take shares back.',
  'docs.documents.read': 'List and read documents.',
  'docs.documents.write': 'Create, change, trash and restore documents.',
  'sheets.values.read': 'Read spreadsheets.',
  'sheets.values.write': 'Write values into spreadsheets.',
  'sheets.structure.write': 'Insert and delete rows, columns and sheets.',
  'calendar.freebusy.read': 'Ask when people are free.',
  'calendar.events.read': 'Read calendars, the times of events and whom they list, and invitations.',
  'calendar.events.write': 'Create and change calendars and events.',
  'directory.read': 'List and read users, groups and resources.',
  'directory.write': 'Create and change users, groups and resources.',
  'keys.read': 'List API keys.',
  'keys.write': 'Create and revoke API keys.',
  'webhooks.read': 'List and read webhooks, and what became of their deliveries.',
  'webhooks.write': 'Create, change, test, resume and delete webhooks.',
} as const;

export type Permission = keyof typeof PERMISSIONS;

export const ALL_PERMISSIONS = Object.keys(PERMISSIONS) as Permission[];
