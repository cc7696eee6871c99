import type { Staging } from '../../blobs/staging.ts';
import type { JsonStream, JsonText, Page, PageRequest } from '../../contract/answers.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DirectoryService } from '../directory/service.ts';
import type { FoundTimes, FreeBusyQuestion, TimeQuestion } from './availability/availability-schema.ts';
import { BusyCache } from './availability/busy-cache.ts';
import { findBusy, findTime } from './availability/find-time.ts';
import { freeBusy, freeBusyAnswer } from './availability/free-busy.ts';
import { WindowQuestions, type WindowWork, windowTooLarge } from './availability/window-work.ts';
import * as calendars from './events/calendars.ts';
import { type ReceivedEvents, receiveEvents } from './events/event-reading.ts';
import type {
  Calendar,
  CalendarChanges,
  CalendarEvent,
  CalendarImportReport,
  EventChanges,
  EventInstance,
  EventResponse,
  NewCalendar,
  NewEvent,
} from './events/event-schema.ts';
import * as events from './events/events.ts';
import { addressKey, type Person } from './events/holders.ts';
import type { CalendarOwner } from './owner.ts';
import { pageOfInstances } from './recurrence/instance-listing.ts';
import type { Interval } from './recurrence/intervals.ts';
import { calendarFile } from './transfer/exporting.ts';
import { importEvents } from './transfer/importing.ts';

export type { CalendarOwner };

/** The rules of calendars. Every method acts for one user; methods that take a transaction do all their work in it. */
export class CalendarService {
  readonly #directory: DirectoryService;
  readonly #database: Database;
  readonly #staging: Staging;
  readonly #questions: WindowQuestions;
  readonly #cache = new BusyCache();

  /** `database`: for reads in transactions of their own; `staging`: holds long answers until they have been sent. */
  constructor(dependencies: { directory: DirectoryService; database: Database; staging: Staging }) {
    this.#directory = dependencies.directory;
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

  /** Throws ApiError not_found for the calendar or a resource, validation_failed and resource_busy. */
  createEvent(
    tx: WriteTransaction,
    owner: CalendarOwner,
    calendarId: string,
    given: NewEvent,
  ): Promise<CalendarEvent> {
    return events.createEvent(tx, owner, calendarId, given, this.#findersFor(owner));
  }

  /** Throws ApiError not_found for the event or a resource, validation_failed and resource_busy. */
  updateEvent(
    tx: WriteTransaction,
    owner: CalendarOwner,
    key: events.EventKey,
    changes: EventChanges,
  ): Promise<CalendarEvent> {
    return events.updateEvent(tx, owner, key, changes, this.#findersFor(owner));
  }

  /** Throws ApiError not_found. */
  deleteEvent(tx: WriteTransaction, owner: CalendarOwner, key: events.EventKey): Promise<void> {
    return events.deleteEvent(tx, owner, key, this.#findersFor(owner).users);
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
