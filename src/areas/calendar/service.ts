import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { StagedMessage } from '../mail/service.ts';
import { BusyCache } from './availability/busy-cache.ts';
import { WindowQuestions } from './availability/window-work.ts';
import { type CalendarDependencies, personOf } from './dependencies.ts';
import * as calendars from './events/calendars.ts';
import type { Calendar, CalendarEvent, CalendarImportReport, NewEvent } from './events/event-schema.ts';
import { createEvent } from './events/events.ts';
import type { Person } from './events/holders.ts';
import { type ReceivedEvents, receiveEvents } from './events/receive-events.ts';
import type { CalendarOwner } from './owner.ts';
import { provenSender, readReply } from './replies/reply.ts';
import { type FoundReply, findReply, lockForReply, takeReply } from './replies/take-reply.ts';
import { calendarFile } from './transfer/calendar-file.ts';
import { importEvents } from './transfer/import-events.ts';

export type { CalendarOwner, FoundReply };

/** What others ask of calendars, and what the use cases of the area work with. */
export class CalendarService {
  readonly dependencies: CalendarDependencies;

  constructor({
    directory,
    mail,
    database,
    staging,
  }: Pick<CalendarDependencies, 'directory' | 'mail' | 'database' | 'staging'>) {
    const questions = new WindowQuestions(database);
    this.dependencies = { directory, mail, database, staging, questions, cache: new BusyCache() };
  }

  createFirstCalendar(tx: WriteTransaction, owner: CalendarOwner): Promise<void> {
    return calendars.createFirstCalendar(tx, this.dependencies, owner);
  }

  listCalendars(tx: ReadTransaction, owner: CalendarOwner): Promise<Calendar[]> {
    return calendars.listCalendars(tx, owner);
  }

  createEvent(
    tx: WriteTransaction,
    owner: CalendarOwner,
    calendarId: string,
    given: NewEvent,
  ): Promise<CalendarEvent> {
    return createEvent(tx, this.dependencies, owner, calendarId, given);
  }

  /**
   * The answer to an invitation that a message by SMTP brings, before the transaction that delivers it; undefined for any
   * other message, and unless it comes from the attendee. `sender`: of the envelope.
   */
  async readReply(
    recipients: readonly CalendarOwner[],
    sender: string,
    message: StagedMessage,
  ): Promise<FoundReply | undefined> {
    const part = await this.dependencies.mail.calendarPart(message);
    const reply = part && (await readReply(part.bytes));
    if (!reply || provenSender(sender, part) !== reply.address) return undefined;
    return this.dependencies.database.read((tx) => findReply(tx, recipients, reply));
  }

  lockForReply(tx: WriteTransaction, reply: FoundReply): Promise<void> {
    return lockForReply(tx, reply);
  }

  takeReply(tx: WriteTransaction, reply: FoundReply): Promise<void> {
    return takeReply(tx, this.dependencies, reply);
  }

  /** Reads the events of a body, before the transaction that stores them. Rejects with ApiError payload_too_large. */
  async receiveEvents(owner: CalendarOwner, content: AsyncIterable<Uint8Array>): Promise<ReceivedEvents> {
    const { addresses } = await this.#personOf(owner);
    return receiveEvents(content, addresses);
  }

  importEvents(
    tx: WriteTransaction,
    owner: CalendarOwner,
    calendarId: string,
    received: ReceivedEvents,
  ): Promise<CalendarImportReport> {
    return importEvents(tx, this.dependencies, owner, calendarId, received);
  }

  /**
   * A calendar as text/calendar, event by event on demand: the times of events, and whether they keep their owner busy.
   * Rejects with ApiError not_found.
   */
  async *exportCalendar(owner: CalendarOwner, calendarId: string): AsyncGenerator<string> {
    const person = await this.#personOf(owner);
    yield* calendarFile(this.dependencies.database, owner, person, calendarId);
  }

  #personOf(owner: CalendarOwner): Promise<Person> {
    return this.dependencies.database.read((tx) => personOf(tx, this.dependencies, owner));
  }
}
