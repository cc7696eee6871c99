// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { Pages } from '../pages.ts';
import { path } from '../path.ts';
import type { Bytes, RequestOptions, Requests } from '../requests.ts';

export interface CalendarRecord {
  /** Names the calendar. */
  id: string;
  /** 1 to 255 characters, not only blanks, no control characters. */
  name: string;
  /** A hex colour, #rgb or #rrggbb. */
  color: string;
  /** The IANA zone by whose clock dates and floating times of the calendar go. */
  time_zone: string;
  /** The user whose calendar it is. */
  owner_id: string;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface CreateCalendarBody {
  /** 1 to 255 characters, not only blanks, no control characters. */
  name: string;
  /** A hex colour, #rgb or #rrggbb. */
  color?: string;
  /** The IANA zone by whose clock dates and floating times of the calendar go. That of the user when absent. */
  time_zone?: string;
}

/** The fields to replace, at least one. */
export interface UpdateCalendarBody {
  /** 1 to 255 characters, not only blanks, no control characters. */
  name?: string;
  /** A hex colour, #rgb or #rrggbb. */
  color?: string;
  /** The IANA zone by whose clock dates and floating times of the calendar go. */
  time_zone?: string;
}

export interface ListEventInstancesQuery {
  /** RFC 3339: instances that end after it are listed. */
  start: string;
  /** RFC 3339: instances that start before it are listed; after start, at most 366 days. */
  end: string;
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface EventInstance {
  /** The event; all instances of a series have the same. */
  id: string;
  /** When it starts. RFC 3339, UTC, with milliseconds. */
  starts_at: string;
  /** When it ends, exclusive. RFC 3339, UTC, with milliseconds. */
  ends_at: string;
}

export interface CreateEventBody {
  /** RFC 3339; without an offset it is on the clock of time_zone, else of the calendar. A date where all_day is true. */
  starts_at: string;
  /** RFC 3339; without an offset it is on the clock of time_zone, else of the calendar. A date where all_day is true. After starts_at; a date is exclusive. */
  ends_at: string;
  /** The IANA zone by whose clock the event recurs; that of the calendar when absent. Not for all-day events. */
  time_zone?: string;
  /** Whole days by the clock of the calendar. */
  all_day?: boolean;
  /** RRULE, RDATE and EXDATE as RFC 5545 writes them, and EXRULE of RFC 2445: what it names is no instance. A start that the RRULE does not name is an instance all the same. */
  recurrence?: string[];
  /** What is cancelled keeps nobody busy. */
  status?: 'confirmed' | 'tentative' | 'cancelled';
  /** What is free keeps nobody busy. */
  transparency?: 'busy' | 'free';
  /** Addresses; one given twice counts once. Users of the workspace are busy until they decline. */
  attendees?: string[];
  /** Ids of rooms and equipment that the event takes; one given twice counts once. */
  resources?: string[];
  /** Whether the attendees are told by mail: "all" sends those of this server and, by the relay, all others an invitation or a cancellation (iMIP) in the name of the owner, with times and people and nothing else. "none" sends nothing. */
  notify?: 'none' | 'all';
}

export interface CalendarEvent {
  /** Names the event. */
  id: string;
  /** The calendar that it is on. */
  calendar_id: string;
  /** A date where all_day is true. Of a series, the first. RFC 3339, UTC, with milliseconds. */
  starts_at: string;
  /** A date, exclusive, where all_day is true. RFC 3339, UTC, with milliseconds. */
  ends_at: string;
  /** The zone by whose clock the event goes. */
  time_zone: string;
  /** Whole days by the clock of the calendar. */
  all_day: boolean;
  /** RRULE, RDATE, EXDATE and EXRULE lines; empty for a single event. */
  recurrence: string[];
  /** What is cancelled keeps nobody busy. */
  status: 'confirmed' | 'tentative' | 'cancelled';
  /** What is free keeps nobody busy. */
  transparency: 'busy' | 'free';
  /** The addresses that it lists. */
  attendees: string[];
  /** What each of the attendees has answered. */
  responses: {
    /** The address, as the event lists it. */
    email: string;
    /** needs_action until there is an answer, and again when the event has moved since. */
    response: 'needs_action' | 'accepted' | 'tentative' | 'declined';
  }[];
  /** Those of the attendees who are outside of the workspace: they see nothing of the event here, and hear of it and answer by mail, where notify says so. */
  external: string[];
  /** Ids of the rooms and equipment that it takes. */
  resources: string[];
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface EventDetails {
  /** Names the event. */
  id: string;
  /** The calendar that it is on. */
  calendar_id: string;
  /** A date where all_day is true. Of a series, the first. RFC 3339, UTC, with milliseconds. */
  starts_at: string;
  /** A date, exclusive, where all_day is true. RFC 3339, UTC, with milliseconds. */
  ends_at: string;
  /** The zone by whose clock the event goes. */
  time_zone: string;
  /** Whole days by the clock of the calendar. */
  all_day: boolean;
  /** RRULE, RDATE, EXDATE and EXRULE lines; empty for a single event. */
  recurrence: string[];
  /** What is cancelled keeps nobody busy. */
  status: 'confirmed' | 'tentative' | 'cancelled';
  /** What is free keeps nobody busy. */
  transparency: 'busy' | 'free';
  /** Whom it lists, and what each has answered. */
  attendees: {
    /** The address, as the event lists it. */
    address: string;
    /** The user of the workspace who has the address; absent for others. */
    user_id?: string;
    /** needs_action until there is an answer, and again when the event has moved since. */
    response: 'needs_action' | 'accepted' | 'tentative' | 'declined';
  }[];
  /** Those of the attendees who are outside of the workspace: they see nothing of the event here, and hear of it and answer by mail, where notify says so. */
  external: string[];
  /** Ids of the rooms and equipment that it takes. */
  resources: string[];
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

/** The fields to replace, at least one. A change of the times or of the recurrence ends what single instances differed in. */
export interface UpdateEventBody {
  /** RFC 3339; without an offset it is on the clock of time_zone, else of the calendar. A date where all_day is true. */
  starts_at?: string;
  /** RFC 3339; without an offset it is on the clock of time_zone, else of the calendar. A date where all_day is true. After starts_at; a date is exclusive. */
  ends_at?: string;
  /** The IANA zone by whose clock the event recurs; that of the calendar when absent. Not for all-day events. */
  time_zone?: string;
  /** Whole days by the clock of the calendar. */
  all_day?: boolean;
  /** RRULE, RDATE and EXDATE as RFC 5545 writes them, and EXRULE of RFC 2445: what it names is no instance. A start that the RRULE does not name is an instance all the same. */
  recurrence?: string[];
  /** What is cancelled keeps nobody busy. */
  status?: 'confirmed' | 'tentative' | 'cancelled';
  /** What is free keeps nobody busy. */
  transparency?: 'busy' | 'free';
  /** Addresses; one given twice counts once. Users of the workspace are busy until they decline. */
  attendees?: string[];
  /** Ids of rooms and equipment that the event takes; one given twice counts once. */
  resources?: string[];
  /** Whether the attendees are told by mail: "all" sends those of this server and, by the relay, all others an invitation or a cancellation (iMIP) in the name of the owner, with times and people and nothing else. "none" sends nothing. */
  notify?: 'none' | 'all';
}

export interface DeleteEventQuery {
  /** Whether the attendees are told by mail: "all" sends those of this server and, by the relay, all others an invitation or a cancellation (iMIP) in the name of the owner, with times and people and nothing else. "none" sends nothing. */
  notify?: 'none' | 'all';
}

export interface ListInvitationsQuery {
  /** RFC 3339: events with an instance that ends after it are listed. */
  start: string;
  /** RFC 3339: events with an instance that starts before it are listed; after start, at most 366 days. */
  end: string;
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface Invitation {
  /** Names the event. */
  id: string;
  /** The calendar that it is on. */
  calendar_id: string;
  /** A date where all_day is true. Of a series, the first. RFC 3339, UTC, with milliseconds. */
  starts_at: string;
  /** A date, exclusive, where all_day is true. RFC 3339, UTC, with milliseconds. */
  ends_at: string;
  /** The zone by whose clock the event goes. */
  time_zone: string;
  /** Whole days by the clock of the calendar. */
  all_day: boolean;
  /** RRULE, RDATE, EXDATE and EXRULE lines; empty for a single event. */
  recurrence: string[];
  /** What is cancelled keeps nobody busy. */
  status: 'confirmed' | 'tentative' | 'cancelled';
  /** What is free keeps nobody busy. */
  transparency: 'busy' | 'free';
  /** The user who invites: whose calendar the event is on. */
  owner_id: string;
  /** What the caller has answered; needs_action until there is an answer, and again when the event has moved since. */
  response: 'needs_action' | 'accepted' | 'tentative' | 'declined';
  /** Ids of the rooms and equipment that it takes. */
  resources: string[];
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface RespondToEventBody {
  /** Who has declined is not kept busy by the event. */
  response: 'accepted' | 'tentative' | 'declined';
}

export interface EventResponse {
  /** The event. */
  id: string;
  /** Who has declined is not kept busy by the event. */
  response: 'accepted' | 'tentative' | 'declined';
}

export interface EventImportReport {
  /** Events that are new; a series and its changed instances are one. */
  created: number;
  /** Events whose UID the calendar had already. */
  updated: number;
  /** Components that could not be taken, or not with all of their attendees. */
  skipped: {
    /** The place of the component in the file, from 0. */
    index: number;
    /** The line of the file that it begins with, from 1. */
    line: number;
    /** For people. */
    reason: string;
  }[];
}

export interface QueryFreeBusyBody {
  /** People; required unless resources is given. E-mail addresses or aliases, without regard to case; one given twice counts once. */
  attendees?: string[];
  /** Rooms and equipment; required unless attendees is given. Ids; one given twice counts once. */
  resources?: string[];
  /** When the window begins that is looked at. RFC 3339. */
  start: string;
  /** When it ends: after start, at most 366 days later. RFC 3339. */
  end: string;
}

export interface BusyInterval {
  /** When it starts. RFC 3339, UTC, with milliseconds. */
  starts_at: string;
  /** When it ends, exclusive. RFC 3339, UTC, with milliseconds. */
  ends_at: string;
}

export interface FreeBusy {
  /** One for each address of the workspace that was asked about. */
  attendees: {
    /** As it was asked for. */
    email: string;
    /** Merged, within the window, in order. */
    busy: BusyInterval[];
  }[];
  /** One for each room or equipment that was asked about. */
  resources: {
    /** The room or equipment. */
    id: string;
    /** Merged, within the window, in order. */
    busy: BusyInterval[];
  }[];
  /** Addresses outside of the workspace: unknown, not free. */
  unknown_attendees: string[];
  /** Ids that name no room or equipment of the workspace. */
  unknown_resources: string[];
}

export interface FindTimeBody {
  /** People who must be free. E-mail addresses or aliases, without regard to case; one given twice counts once. */
  attendees?: string[];
  /** People who should be free. E-mail addresses or aliases, without regard to case; one given twice counts once. */
  optional_attendees?: string[];
  /** Rooms and equipment that must all be free. Ids; one given twice counts once. */
  resources?: string[];
  /** Rooms and equipment of which one must be free: the first in this order. Ids; one given twice counts once. */
  any_of_resources?: string[];
  /** When the window begins that is looked at. RFC 3339. */
  start: string;
  /** When it ends: after start, at most 366 days later. RFC 3339. */
  end: string;
  /** How long the meeting is. 1 to 527040, default 30. */
  duration_minutes?: number;
  /** From one possible start to the next; the first is start. 1 to 527040, default 15. */
  interval_minutes?: number;
  /** 1 to 50, default 10; above 50 it is 50. */
  max_results?: number;
  /** The IANA zone of the working hours. */
  time_zone?: string;
  /** When the meeting may be: within one of these, or at any time when absent. "each" takes the working hours that users have, in their zones: those of everybody who is required hold, and who is optional cannot come outside of theirs. Users without any, and those who do not share their availability, can meet at any time. */
  working_hours?: {
    /** 1 for Monday to 7 for Sunday. */
    days: number[];
    /** HH:MM on the clock of time_zone. */
    start: string;
    /** HH:MM on the clock of time_zone, after start; 24:00 is midnight. */
    end: string;
  }[] | 'each';
  /** Whether an address that nobody in the workspace has is refused with 404, instead of being named. */
  strict?: boolean;
  /** An event on a calendar of the caller that keeps nobody busy in this question, with all of its instances: the one that is to move. */
  ignore_event_id?: string;
  /** What everybody needs before and after; it may leave the window and the working hours. 0 to 10080, default 0. */
  buffer_minutes?: number;
}

export interface FoundTimes {
  /** Those that fewest of the optional attendees miss first, then the earliest. */
  slots: {
    /** When the meeting can start. RFC 3339, UTC, with milliseconds. */
    starts_at: string;
    /** When it would end. RFC 3339, UTC, with milliseconds. */
    ends_at: string;
    /** Who can come, the required as well. */
    available: string[];
    /** Optional attendees who cannot. */
    unavailable: string[];
    /** Which of any_of_resources is free. */
    resource_id?: string;
  }[];
  /** Addresses outside of the workspace: unknown, not free. */
  unknown_attendees: string[];
  /** Why there is no slot; null where there is one. */
  empty_reason: 'attendees_busy' | 'resources_busy' | 'outside_working_hours' | 'window_too_short' | null;
}

/** Calendar: one method for each operation. */
export class Calendar {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /**
   * List calendars
   *
   * Every calendar of the user in one answer, in order of creation.
   *
   * Permission: `calendar.events.read` or `calendar.freebusy.read`.
   */
  listCalendars(options: RequestOptions = {}): Promise<CalendarRecord[]> {
    return this.requests.data({ path: '/v1/calendars' }, options);
  }

  /**
   * Create a calendar
   *
   * The user owns it.
   *
   * Permission: `calendar.events.write`.
   */
  createCalendar(body: CreateCalendarBody, options: RequestOptions = {}): Promise<CalendarRecord> {
    return this.requests.data({ method: 'POST', path: '/v1/calendars', body }, options);
  }

  /**
   * Change a calendar
   *
   * Replaces the fields that are sent. All-day events and floating times follow a change of the time zone.
   *
   * Permission: `calendar.events.write`.
   */
  updateCalendar(id: string, body: UpdateCalendarBody, options: RequestOptions = {}): Promise<CalendarRecord> {
    return this.requests.data({ method: 'PUT', path: path`/v1/calendars/${id}`, body }, options);
  }

  /**
   * List the instances of events
   *
   * What of the events of a calendar lies in a window: ids and times, in order of start. A series has the same id for each of its instances. A window in which events take place too often to be worked out is refused.
   *
   * Permission: `calendar.events.read`.
   */
  listEventInstances(id: string, query: ListEventInstancesQuery, options: RequestOptions = {}): Pages<EventInstance> {
    return this.requests.pages({ path: path`/v1/calendars/${id}/events`, query }, options);
  }

  /**
   * Create an event
   *
   * The service never holds what a meeting is about: a field for it is refused. Times count to the second. A resource must be free at each instance; of two series that go on for longer, at those of two years from when both run. With notify "all", attendees get a message with an iCalendar part in the name of the owner, who finds a copy in Sent; answers that come back by mail are taken. Where a new attendee of this server is nobody, or somebody outside can only be reached by a relay and none is set, the request is refused.
   *
   * Permission: `calendar.events.write`.
   */
  createEvent(id: string, body: CreateEventBody, options: RequestOptions = {}): Promise<CalendarEvent> {
    return this.requests.data({ method: 'POST', path: path`/v1/calendars/${id}/events`, body }, options);
  }

  /**
   * Get an event
   *
   * An event on a calendar of the caller: when it is, whom it concerns and what they have answered, and what it takes. Of a series this is what holds for its instances, except for those that differ.
   *
   * Permission: `calendar.events.read`.
   */
  getEvent(id: string, eventId: string, options: RequestOptions = {}): Promise<EventDetails> {
    return this.requests.data({ path: path`/v1/calendars/${id}/events/${eventId}` }, options);
  }

  /**
   * Change an event
   *
   * Replaces the fields that are sent. Where the event comes to other times, another zone or another recurrence, everybody is asked again: their responses are needs_action. With notify alone, everybody is told of it as it stands. With notify "all", attendees get a message with an iCalendar part in the name of the owner, who finds a copy in Sent; answers that come back by mail are taken. Where a new attendee of this server is nobody, or somebody outside can only be reached by a relay and none is set, the request is refused. The service never holds what a meeting is about: a field for it is refused.
   *
   * Permission: `calendar.events.write`.
   */
  updateEvent(id: string, eventId: string, body: UpdateEventBody, options: RequestOptions = {}): Promise<CalendarEvent> {
    return this.requests.data({ method: 'PUT', path: path`/v1/calendars/${id}/events/${eventId}`, body }, options);
  }

  /**
   * Remove an event
   *
   * With all of its instances. With notify "all", attendees get a message with an iCalendar part in the name of the owner, who finds a copy in Sent; answers that come back by mail are taken. Where a new attendee of this server is nobody, or somebody outside can only be reached by a relay and none is set, the request is refused.
   *
   * Permission: `calendar.events.write`.
   */
  deleteEvent(id: string, eventId: string, query: DeleteEventQuery = {}, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/calendars/${id}/events/${eventId}`, query }, options);
  }

  /**
   * List invitations
   *
   * Events of others that list the caller by any address, with what the caller has answered: those with an instance in a window, once each, in order of their start, a series by its first. Who else is listed is not told. Cancelled and declined events are listed too. A window in which events take place too often to be worked out is refused.
   *
   * Permission: `calendar.events.read`.
   */
  listInvitations(query: ListInvitationsQuery, options: RequestOptions = {}): Pages<Invitation> {
    return this.requests.pages({ path: '/v1/invitations', query }, options);
  }

  /**
   * Answer an invitation
   *
   * For those whom the event lists. Who declines is not kept busy by it.
   *
   * Permission: `calendar.events.write`.
   */
  respondToEvent(id: string, body: RespondToEventBody, options: RequestOptions = {}): Promise<EventResponse> {
    return this.requests.data({ method: 'POST', path: path`/v1/events/${id}/response`, body }, options);
  }

  /**
   * Import events
   *
   * Takes iCalendar (RFC 5545), up to 64 MiB and 100,000 components in one body, all or none of them stored. Of an event only its times, its attendees and whether it blocks are read; what it is about is dropped at the door. An event whose UID the calendar has already is replaced; one with a RECURRENCE-ID changes an instance of its series, or stands alone. An earlier version than what the calendar has, by SEQUENCE and then by DTSTAMP, is skipped. What people have answered here holds on where the file has no answer of theirs, the same times and the same SEQUENCE. A component that is no event or has no times that can be read is skipped, and an event that is more than 4 MB with its instances, or has more than 10,000 that differ. Of more than 200 attendees those of the user, the organizer and the first are kept, and the event is told of under skipped. Nothing is stored where an event that has a room or equipment comes to a time at which another has it.
   *
   * Permission: `calendar.events.write`.
   */
  importEvents(id: string, content: Bytes, options: RequestOptions = {}): Promise<EventImportReport> {
    return this.requests.data({ method: 'POST', path: path`/v1/calendars/${id}/import`, content, mediaType: 'text/calendar' }, options);
  }

  /**
   * Query free/busy
   *
   * When people and resources are busy, never with what: at most 200 of them and 366 days. People who do not share their availability come back with an empty list. A window in which their events take place too often to be worked out is refused, not answered in part. It reads: an Idempotency-Key is accepted and ignored.
   *
   * Permission: `calendar.freebusy.read`.
   */
  queryFreeBusy(body: QueryFreeBusyBody, options: RequestOptions = {}): Promise<FreeBusy> {
    return this.requests.data({ method: 'POST', path: '/v1/freebusy', body }, options);
  }

  /**
   * Find a time that works
   *
   * Times at which everybody who is required can meet; at most 200 people and resources and 366 days. Meetings that touch do not clash. Unknown people are named and otherwise ignored, or refused where strict is true; people who do not share their availability never influence the slots. Same question, same answer. A window in which events take place too often to be worked out is refused, not answered in part. It reads: an Idempotency-Key is accepted and ignored.
   *
   * Permission: `calendar.freebusy.read`.
   */
  findTime(body: FindTimeBody, options: RequestOptions = {}): Promise<FoundTimes> {
    return this.requests.data({ method: 'POST', path: '/v1/freebusy/find', body }, options);
  }
}
