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

/** An event with all of its instances; never what it is about. */
export interface CalendarEvents {
  workspace_id: string;
  user_id: string;
  id: string;
  calendar_id: string;
  /** The UID of an import, else its own id: one of each in a calendar. */
  uid: string;
  /** That of the calendar, in which floating times and dates are read. */
  time_zone: string;
  /** JSON: when it is, who is listed, what blocks. */
  definition: string;
  /** JSON array of resource ids. */
  resources: string;
  created_at: number;
  updated_at: number;
}

/** From the beginning to the end of all instances of an event, for each whom it concerns. */
export interface CalendarSpans {
  workspace_id: string;
  /** The id of a user, resource or calendar, or an address (case folded) that the event lists. */
  holder: string;
  /** The span is at most 4 to this power of days. */
  span_class: number;
  starts_at: number;
  event_id: string;
  ends_at: number;
  /** Elements of a JSON array: in which pattern the event keeps the holder busy. Empty where a calendar holds it. */
  busy: string;
}

/** Another value after each change of what keeps somebody or something busy. */
export interface CalendarVersions {
  workspace_id: string;
  holder: string;
  version: string;
}
