import type { Atrium } from '../../client/src/index.ts';

/** A stretch of time in which events are looked at. */
export interface Window {
  start: string;
  end: string;
}

/** What a server answers about everything that a user has: each area, each record, each content. */
export async function everythingOf(atrium: Atrium, window: Window) {
  return {
    directory: await directoryOf(atrium),
    mail: await mailOf(atrium),
    contacts: await contactsOf(atrium),
    files: await filesOf(atrium),
    documents: await documentsOf(atrium),
    calendar: await calendarOf(atrium, window),
  };
}

async function directoryOf({ directory, apiKeys }: Atrium) {
  return {
    me: await directory.getOwnUser(),
    users: await directory.listUsers().all(),
    groups: await directory.listGroups().all(),
    resources: await directory.listResources().all(),
    keys: await apiKeys.listApiKeys().all(),
  };
}

async function mailOf({ mail }: Atrium) {
  const folders = await mail.listMailFolders();
  const messages = await mail.listMessages({ folder_id: folders.map(({ id }) => id), limit: 200 }).all();
  const records = [];
  for (const { id } of messages) {
    const raw = await (await mail.getRawMessage(id)).text();
    records.push({ ...(await mail.getMessage(id)), raw });
  }
  return { folders, messages, records, filters: await mail.listMailFilters().all() };
}

async function contactsOf({ contacts }: Atrium) {
  return {
    books: await contacts.listAddressBooks(),
    contacts: await contacts.listContacts().all(),
    found: await contacts.listContacts({ q: 'GALOIS' }).all(),
  };
}

async function filesOf({ files }: Atrium) {
  const found = await files.listFiles().all();
  const contents = [];
  for (const { id } of found) {
    const bytes = await (await files.download(id)).bytes();
    const permissions = await files.listFilePermissions(id);
    contents.push({ id, permissions, content: Buffer.from(bytes).toString('base64') });
  }
  const trash = await files.listFiles({ trashed: true }).all();
  return { folders: await files.listFileFolders(), files: found, trash, contents };
}

async function documentsOf({ documents, spreadsheets }: Atrium) {
  const found = await documents.listDocuments().all();
  const contents = [];
  for (const { id, type } of found) {
    if (type === 'document') {
      const text = await (await documents.getDocumentContent(id)).text();
      contents.push({ text, revisions: await documents.listDocumentRevisions(id).all() });
    } else {
      const outline = await spreadsheets.getSpreadsheet(id);
      const ranges = [];
      for (const { name } of outline.sheets) {
        const range = `'${name}'!A1:Z100`;
        ranges.push((await spreadsheets.readRange(id, range)).values);
        ranges.push((await spreadsheets.readRange(id, range, { render: 'formula' })).values);
      }
      contents.push({ outline, ranges });
    }
  }
  return { documents: found, contents };
}

async function calendarOf({ calendar, directory }: Atrium, window: Window) {
  const calendars = await calendar.listCalendars();
  const events = [];
  for (const { id } of calendars) events.push(await calendar.listEventInstances(id, window).all());
  const attendees = (await directory.listUsers().all()).map(({ email }) => email);
  const resources = (await directory.listResources().all()).map(({ id }) => id);
  return { calendars, events, busy: await calendar.queryFreeBusy({ attendees, resources, ...window }) };
}
