export interface Calendars {
  workspace_id: string;
  user_id: string;
  id: string;
  name: string;
  /** #rgb or #rrggbb. */
  color: string;
  time_zone: string;
  created_at: number;
  updated_at: number;
}

/** An event with all of its instances; subject and text are not stored. */
export interface CalendarEvents {
  workspace_id: string;
  user_id: string;
  id: string;
  calendar_id: string;
  /** The UID of an import, else its own id; unique in a calendar. */
  uid: string;
  /** The time zone of the calendar, in which floating times and dates are interpreted. */
  time_zone: string;
  /** JSON: the times, the attendees, and which instances block time. */
  definition: string;
  /** JSON array of resource ids. */
  resources: string;
  /** How often its times, its recurrence or its status have changed over the API. */
  sequence: number;
  created_at: number;
  updated_at: number;
}

/** The time span of all instances of an event, one row for each holder that it concerns. */
export interface CalendarSpans {
  workspace_id: string;
  /** The id of a user, resource or calendar, or an address (case folded) that the event lists. */
  holder: string;
  /** The span is at most 4 to this power of days. */
  span_class: number;
  starts_at: number;
  event_id: string;
  ends_at: number;
  /**
   * Elements of a JSON array: the pattern in which the event keeps the holder busy. Empty if the holder is a calendar.
   */
  busy: string;
}

/** An address that an event lists, in any of its meetings and with any response. */
export interface CalendarInvitations {
  workspace_id: string;
  /** The key of the address (case folded). */
  address: string;
  /** As in `CalendarSpans`. */
  span_class: number;
  /** The start of the first meeting, by which invitations are sorted; the span of an event may begin a day earlier. */
  starts_at: number;
  event_id: string;
  ends_at: number;
  /** The user whose event it is. */
  owner_id: string;
}

/** A new version after each change of the busy times of a holder. */
export interface CalendarVersions {
  workspace_id: string;
  holder: string;
  version: string;
}
