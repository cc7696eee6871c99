import type { Staging } from '../../blobs/staging.ts';
import type { JsonStream, JsonText, Page, PageRequest } from '../../contract/answers.ts';
import { requireParameter } from '../../contract/required-values.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DirectoryService } from '../directory/service.ts';
import type { MailService, StagedMessage } from '../mail/service.ts';
import type { FoundTimes, FreeBusyQuestion, TimeQuestion } from './availability/availability-schema.ts';
import { BusyCache } from './availability/busy-cache.ts';
import { findBusy, findTime } from './availability/find-time.ts';
import { freeBusy, freeBusyAnswer } from './availability/free-busy.ts';
import { WindowQuestions, type WindowWork, windowTooLarge } from './availability/window-work.ts';
import * as calendars from './events/calendars.ts';
import type {
  Calendar,
  CalendarChanges,
  CalendarEvent,
  CalendarImportReport,
  EventChanges,
  EventDetails,
  EventInstance,
  EventResponse,
  Invitation,
  NewCalendar,
  NewEvent,
} from './events/event-schema.ts';
import { Notify } from './events/event-schema.ts';
import * as events from './events/events.ts';
import { addressKey, type Person } from './events/holders.ts';
import { pageOfInvitations } from './events/invitations.ts';
import { type ReceivedEvents, receiveEvents } from './events/receive-events.ts';
import { Notification, type PreparedNotices } from './notices/notification.ts';
import type { CalendarOwner } from './owner.ts';
import { pageOfInstances } from './recurrence/instance-listing.ts';
import type { Interval } from './recurrence/intervals.ts';
import { provenSender, readReply } from './replies/reply.ts';
import { type FoundReply, findReply, lockForReply, takeReply } from './replies/take-reply.ts';
import { calendarFile } from './transfer/calendar-file.ts';
import { importEvents } from './transfer/import-events.ts';

export type { CalendarOwner, FoundReply };

/** The rules of calendars. Every method acts for one user; methods that take a transaction do all their work in it. */
export class CalendarService {
  readonly #directory: DirectoryService;
  readonly #mail: MailService;
  readonly #database: Database;
  readonly #staging: Staging;
  readonly #questions: WindowQuestions;
  readonly #cache = new BusyCache();

  /** `database`: for reads in transactions of their own; `staging`: holds long answers until they have been sent. */
  constructor(dependencies: {
    directory: DirectoryService;
    mail: MailService;
    database: Database;
    staging: Staging;
  }) {
    this.#directory = dependencies.directory;
    this.#mail = dependencies.mail;
    this.#database = dependencies.database;
    this.#staging = dependencies.staging;
    this.#questions = new WindowQuestions(dependencies.database);
  }

  /** Creates the first calendar of a new user. */
  async createFirstCalendar(tx: WriteTransaction, owner: CalendarOwner): Promise<void> {
    await calendars.createFirstCalendar(tx, owner, await this.#timeZoneOf(tx, owner));
  }

  /** In order of creation. */
  listCalendars(tx: ReadTransaction, owner: CalendarOwner): Promise<Calendar[]> {
    return calendars.listCalendars(tx, owner);
  }

  async createCalendar(tx: WriteTransaction, owner: CalendarOwner, given: NewCalendar): Promise<Calendar> {
    return calendars.createCalendar(tx, owner, given, await this.#timeZoneOf(tx, owner));
  }

  /** Throws ApiError not_found, and resource_busy if events that follow the zone conflict with others. */
  updateCalendar(
    tx: WriteTransaction,
    owner: CalendarOwner,
    id: string,
    changes: CalendarChanges,
  ): Promise<Calendar> {
    return calendars.updateCalendar(tx, owner, id, changes, this.#findersFor(owner).users);
  }

  /**
   * Sorted by start, outside of any transaction. Rejects with ApiError not_found for the calendar, and
   * validation_failed if it takes too long.
   */
  listInstances(
    owner: CalendarOwner,
    calendarId: string,
    window: Interval,
    page: PageRequest,
  ): Promise<Page<EventInstance>> {
    return this.#questions.answer({
      read: (tx, work) => pageOfInstances({ tx, work }, owner, calendarId, window, page),
      answer: (found) => found,
      problem: windowTooLarge({ parameter: 'end' }),
    });
  }

  /** Throws ApiError not_found. */
  getEvent(tx: ReadTransaction, owner: CalendarOwner, key: events.EventKey): Promise<EventDetails> {
    return events.getEventDetails(tx, owner, key, this.#findersFor(owner).users);
  }

  /** Events of others that list the caller, outside of any transaction. Rejects with ApiError validation_failed if it takes too long. */
  listInvitations(caller: CalendarOwner, window: Interval, page: PageRequest): Promise<Page<Invitation>> {
    return this.#questions.answer({
      read: async (tx, work) => {
        const person = await this.#personOf(tx, caller);
        return pageOfInvitations({ tx, work }, { workspaceId: caller.workspaceId, person, window }, page);
      },
      answer: (found) => found,
      problem: windowTooLarge({ parameter: 'end' }),
    });
  }

  /** Throws ApiError not_found for the calendar or a resource, validation_failed and resource_busy. */
  createEvent(
    tx: WriteTransaction,
    owner: CalendarOwner,
    calendarId: string,
    given: NewEvent,
    prepared?: PreparedNotices,
  ): Promise<CalendarEvent> {
    return events.createEvent(tx, owner, calendarId, given, this.#around(owner, given.notify, prepared));
  }

  /** Throws ApiError not_found for the event or a resource, validation_failed and resource_busy. */
  updateEvent(
    tx: WriteTransaction,
    owner: CalendarOwner,
    key: events.EventKey,
    changes: EventChanges,
    prepared?: PreparedNotices,
  ): Promise<CalendarEvent> {
    return events.updateEvent(tx, owner, key, changes, this.#around(owner, changes.notify, prepared));
  }

  /** Throws ApiError not_found, and where attendees are told as createEvent. */
  async deleteEvent(
    tx: WriteTransaction,
    owner: CalendarOwner,
    key: events.EventKey,
    {
      notify = 'none',
      prepared,
    }: { notify?: Notify | undefined; prepared?: PreparedNotices | undefined } = {},
  ): Promise<void> {
    requireParameter(Notify, notify, 'notify');
    await events.deleteEvent(tx, owner, key, this.#around(owner, notify, prepared));
  }

  /** Stores the response of a listed attendee. Throws ApiError not_found for any other person. */
  async respond(
    tx: WriteTransaction,
    caller: CalendarOwner,
    eventId: string,
    response: EventResponse['response'],
  ): Promise<EventResponse> {
    const person = await this.#personOf(tx, caller);
    const { users } = this.#findersFor(caller);
    return events.respond(tx, caller.workspaceId, person, { id: eventId, response }, users);
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
    const part = await this.#mail.calendarPart(message);
    const reply = part && (await readReply(part.bytes));
    if (!reply || provenSender(sender, part) !== reply.address) return undefined;
    return this.#database.read((tx) => findReply(tx, recipients, reply));
  }

  /** Called before the first write of the transaction that takes an answer, and before the locks of mailboxes. */
  lockForReply(tx: WriteTransaction, reply: FoundReply): Promise<void> {
    return lockForReply(tx, reply);
  }

  /** Stores an answer that came by SMTP. Changes nothing where the event no longer asks for it. */
  takeReply(tx: WriteTransaction, reply: FoundReply): Promise<void> {
    return takeReply(tx, reply, this.#findersFor(reply.owner).users);
  }

  /** Reads the events of a body, before the transaction that stores them. Rejects with ApiError payload_too_large. */
  async receiveEvents(owner: CalendarOwner, content: AsyncIterable<Uint8Array>): Promise<ReceivedEvents> {
    const { addresses } = await this.#database.read((tx) => this.#personOf(tx, owner));
    return receiveEvents(content, addresses);
  }

  /**
   * Stores the events of a file in a calendar; an event with a known UID is updated. Throws ApiError not_found and
   * resource_busy.
   */
  importEvents(
    tx: WriteTransaction,
    owner: CalendarOwner,
    calendarId: string,
    received: ReceivedEvents,
  ): Promise<CalendarImportReport> {
    return importEvents(tx, owner, calendarId, received, this.#findersFor(owner).users);
  }

  /**
   * A calendar as text/calendar, event by event on demand: the times of events, and whether they keep their owner busy.
   * Rejects with ApiError not_found.
   */
  async *exportCalendar(owner: CalendarOwner, calendarId: string): AsyncGenerator<string> {
    const person = await this.#database.read((tx) => this.#personOf(tx, owner));
    yield* calendarFile(this.#database, owner, person, calendarId);
  }

  /** Outside of any transaction. Rejects with ApiError validation_failed if it takes too long, and with TooManyWaiting. */
  freeBusy(caller: CalendarOwner, question: FreeBusyQuestion): Promise<JsonText | JsonStream> {
    return this.#questions.answer({
      read: (tx, work) => freeBusy(tx, this.#availabilityDependencies(work), caller, question),
      answer: (found) => freeBusyAnswer(found, this.#staging),
      problem: windowTooLarge({ pointer: '/end' }),
    });
  }

  /** The same; also rejects with ApiError not_found for a resource. */
  findTime(caller: CalendarOwner, question: TimeQuestion): Promise<FoundTimes> {
    return this.#questions.answer({
      read: (tx, work) => findBusy(tx, this.#availabilityDependencies(work), caller, question),
      answer: (found) => findTime(question, found),
      problem: windowTooLarge({ pointer: '/end' }),
    });
  }

  #around(owner: CalendarOwner, notify: Notify = 'none', prepared?: PreparedNotices) {
    const dependencies = { mail: this.#mail, directory: this.#directory };
    const notification = notify === 'all' ? new Notification(dependencies, owner, prepared) : undefined;
    return { find: this.#findersFor(owner), notification };
  }

  #availabilityDependencies(work: WindowWork) {
    return { directory: this.#directory, cache: this.#cache, work };
  }

  #findersFor({ workspaceId }: CalendarOwner): events.DirectoryFinders {
    return {
      resources: (tx, ids) => this.#directory.findResourceIds(tx, workspaceId, ids),
      users: async (tx, addresses) => {
        const holders = await this.#directory.findAddressHolders(tx, workspaceId, addresses);
        return new Map([...holders].map(([address, { userId }]) => [address, userId]));
      },
    };
  }

  async #timeZoneOf(tx: ReadTransaction, { workspaceId, userId }: CalendarOwner): Promise<string> {
    return (await this.#directory.getUser(tx, workspaceId, userId)).time_zone;
  }

  async #personOf(tx: ReadTransaction, { workspaceId, userId }: CalendarOwner): Promise<Person> {
    const user = await this.#directory.getUser(tx, workspaceId, userId);
    return { userId, addresses: [user.email, ...user.aliases].map(addressKey) };
  }
}
