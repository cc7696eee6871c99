import { Readable } from 'node:stream';
import type { CalendarService } from '../areas/calendar/service.ts';
import type { ContactsService } from '../areas/contacts/service.ts';
import type { DocumentsService } from '../areas/documents/service.ts';
import type { FilesService } from '../areas/drive/service.ts';
import type { MailService } from '../areas/mail/service.ts';
import type { SpreadsheetsService } from '../areas/spreadsheets/service.ts';
import { type StagedBytes, type Staging, takeOver } from '../blobs/staging.ts';
import type { JsonText } from '../contract/answers.ts';
import type { WriteTransaction } from '../storage/database.ts';
import { type Access, BUDGET, letter, type Named, NOTE, NOTES } from './welcome-texts.ts';

/** The areas that have sample content. */
export interface WelcomingAreas {
  mail: MailService;
  contacts: ContactsService;
  files: FilesService;
  documents: DocumentsService;
  spreadsheets: SpreadsheetsService;
  calendar: CalendarService;
  staging: Staging;
}

interface Owner {
  workspaceId: string;
  userId: string;
}

const DAY_MS = 86_400_000;

/** A prepared welcome. The transaction that creates the workspace stores all of it, or nothing. */
export class Welcome {
  readonly #areas: WelcomingAreas;
  readonly #note: StagedBytes;

  constructor(areas: WelcomingAreas, note: StagedBytes) {
    this.#areas = areas;
    this.#note = note;
  }

  /** Fills the owner's empty workspace; `domain` is the mail domain. */
  async give(tx: WriteTransaction, owner: Owner, access: Access, domain: string): Promise<void> {
    const named = {
      documentId: await this.#document(tx, owner),
      spreadsheetId: await this.#spreadsheet(tx, owner),
      ...(await this.#mornings(tx, owner)),
      ...access,
    };
    await this.#file(tx, owner);
    await this.#contact(tx, owner);
    await this.#letter(tx, owner, named, domain);
  }

  /** Releases its resources when no transaction has adopted it. */
  discard(): Promise<void> {
    return this.#note.discard();
  }

  async #document(tx: WriteTransaction, owner: Owner): Promise<string> {
    const { documents } = this.#areas;
    const contents = await documents.prepareText(bytes(NOTES));
    return idOf(await documents.create(tx, owner, { type: 'document', title: 'Start here' }, contents));
  }

  async #spreadsheet(tx: WriteTransaction, owner: Owner): Promise<string> {
    const { documents, spreadsheets } = this.#areas;
    const given = { type: 'spreadsheet', title: 'A little budget' } as const;
    const id = idOf(await documents.create(tx, owner, given, await documents.prepare(owner, given)));
    await spreadsheets.writeBatch(tx, owner, id, [{ range: 'A1', values: BUDGET }]);
    return id;
  }

  async #mornings(tx: WriteTransaction, owner: Owner): Promise<Pick<Named, 'firstDay' | 'lastDay'>> {
    const { calendar } = this.#areas;
    const [first] = await calendar.listCalendars(tx, owner);
    const [firstDay, lastDay] = [dayIn(1), dayIn(6)];
    if (first) {
      await calendar.createEvent(tx, owner, first.id, {
        starts_at: `${firstDay}T09:00:00Z`,
        ends_at: `${firstDay}T09:30:00Z`,
        recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
      });
    }
    return { firstDay, lastDay };
  }

  async #file(tx: WriteTransaction, owner: Owner): Promise<void> {
    const { size, location } = this.#note;
    await this.#areas.files.createFile(tx, owner, {
      filename: 'Welcome.txt',
      mimeType: 'text/plain',
      size,
      blobKey: location.blobKey,
      folderId: '',
      takeOver: (within) => takeOver(within, this.#note),
    });
  }

  async #contact(tx: WriteTransaction, owner: Owner): Promise<void> {
    const { contacts } = this.#areas;
    const [book] = await contacts.listBooks(tx, owner);
    if (!book) return;
    await contacts.createContact(tx, owner, {
      address_book_id: book.id,
      name: 'Ada Lovelace',
      emails: [{ address: 'ada@example.org', type: 'work' }],
      title: 'Programmer',
      notes: 'The first of your contacts. She wrote programs before there were computers.',
    });
  }

  async #letter(tx: WriteTransaction, owner: Owner, named: Named, domain: string): Promise<void> {
    const { mail } = this.#areas;
    const now = Date.now();
    const raw = [
      `From: Atrium <no-reply@${domain}>`,
      `To: ${named.ownerEmail}`,
      'Subject: Welcome to Atrium',
      `Date: ${new Date(now).toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: <welcome.${owner.workspaceId}@${domain}>`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      letter(named).replaceAll('\n', '\r\n'),
    ].join('\r\n');
    const folderId = await mail.getFolderByRole(tx, owner, 'inbox');
    const arrival = {
      folderId,
      flags: 0,
      labels: ['welcome'],
      threading: true,
      deliveredAt: now,
      isDelivery: true,
    };
    await mail.append(tx, owner, arrival, await mail.receive(bytes(raw)));
  }
}

/**
 * Stages the content that must be in the blob store before the transaction. Rejects with BlobsUnavailable or
 * StorageUnavailable.
 */
export async function prepareWelcome(areas: WelcomingAreas): Promise<Welcome> {
  return new Welcome(areas, await areas.staging.stageBlob(bytes(NOTE)));
}

function bytes(text: string): Readable {
  return Readable.from([Buffer.from(text)]);
}

function idOf(record: JsonText): string {
  return (JSON.parse(record.text) as { id: string }).id;
}

function dayIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}
