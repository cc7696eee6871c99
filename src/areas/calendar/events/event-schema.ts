import { type Static, Type } from 'typebox';
import { NOT_BLANK } from '../../../contract/storable-text.ts';
import { timestamp } from '../../../contract/timestamp.ts';
import { UNKNOWN_FIELDS } from '../../../contract/violations.ts';
import { WANTED } from '../../../contract/wanted.ts';
import { EMAIL_ADDRESS, MAX_EMAIL_ADDRESS } from '../../../text/email-address.ts';

const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  ...NOT_BLANK,
  description: '1 to 255 characters, not only blanks, no control characters.',
  examples: ['Work'],
});

const Color = Type.String({
  pattern: '^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$',
  [WANTED]: 'Give a colour of the form #rgb or #rrggbb',
  description: 'A hex colour, #rgb or #rrggbb.',
  examples: ['#3366cc'],
});

const ZONE = 'The IANA zone by whose clock dates and floating times of the calendar go.';

const TimeZone = Type.String({
  maxLength: 64,
  description: ZONE,
  examples: ['Europe/Berlin'],
});

export const Calendar = Type.Object(
  {
    id: Type.String({ description: 'Names the calendar.', examples: ['cal_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    name: Name,
    color: Color,
    time_zone: TimeZone,
    owner_id: Type.String({
      description: 'The user whose calendar it is.',
      examples: ['usr_01k0qv5m8qe3rsgm9y3f2c7d4x'],
    }),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'CalendarRecord', additionalProperties: false },
);

export const NewCalendar = Type.Object(
  {
    name: Name,
    color: Type.Optional(Color),
    time_zone: Type.Optional(
      Type.String({ ...TimeZone, description: `${ZONE} That of the user when absent.` }),
    ),
  },
  { additionalProperties: false },
);

export const CalendarChanges = Type.Object(
  { name: Type.Optional(Name), color: Type.Optional(Color), time_zone: Type.Optional(TimeZone) },
  { additionalProperties: false, minProperties: 1, description: 'The fields to replace, at least one.' },
);

export type Calendar = Static<typeof Calendar>;
export type NewCalendar = Static<typeof NewCalendar>;
export type CalendarChanges = Static<typeof CalendarChanges>;

const EVENT_ID = 'evt_01k0qv5m8qe3rsgm9y3f2c7d4x';

/** Maximum number of attendees, and of resources, of one event. */
export const MAX_LISTED = 200;
const MAX_LINES = 100;
/** Characters; enough for some thousand dates. */
const MAX_LINE = 65_536;

/** The message for a refused field of an event, or of a question about times. */
export const ABOUT_NOTHING =
  'The service never holds what a meeting is about: no title, no description, no place. Send only when it is, whom it ' +
  'concerns and what it takes.';

const TIME_GIVEN =
  'RFC 3339; without an offset it is on the clock of time_zone, else of the calendar. A date where all_day is true.';

const EventTime = Type.String({
  maxLength: 40,
  pattern:
    '^\\d{4}-\\d\\d-\\d\\d(?:[Tt ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:[Zz]|[+-]\\d\\d:\\d\\d)?)?$',
  [WANTED]: 'Give a date and a time, or a date where all_day is true',
  description: TIME_GIVEN,
  examples: ['2026-03-02T09:00:00.000Z'],
});

const fields = {
  starts_at: EventTime,
  ends_at: Type.String({ ...EventTime, description: `${TIME_GIVEN} After starts_at; a date is exclusive.` }),
  time_zone: Type.String({
    maxLength: 64,
    description:
      'The IANA zone by whose clock the event recurs; that of the calendar when absent. Not for all-day events.',
    examples: ['Europe/Berlin'],
  }),
  all_day: Type.Boolean({ description: 'Whole days by the clock of the calendar.' }),
  recurrence: Type.Array(
    Type.String({ maxLength: MAX_LINE, pattern: '^[^\\p{Cc}]*$', examples: ['RRULE:FREQ=WEEKLY;BYDAY=MO'] }),
    {
      maxItems: MAX_LINES,
      description:
        'RRULE, RDATE and EXDATE as RFC 5545 writes them, and EXRULE of RFC 2445: what it names is no instance. A start ' +
        'that the RRULE does not name is an instance all the same.',
      examples: [['RRULE:FREQ=WEEKLY;BYDAY=MO', 'EXDATE:20260309T090000Z']],
    },
  ),
  status: Type.Enum(['confirmed', 'tentative', 'cancelled'], {
    description: 'What is cancelled keeps nobody busy.',
  }),
  transparency: Type.Enum(['busy', 'free'], { description: 'What is free keeps nobody busy.' }),
  attendees: Type.Array(
    Type.String({
      maxLength: MAX_EMAIL_ADDRESS,
      pattern: EMAIL_ADDRESS,
      [WANTED]: 'Give an e-mail address of the form local@domain',
      description: 'An e-mail address, local@domain, up to 254 characters.',
      examples: ['ada@example.org'],
    }),
    {
      maxItems: MAX_LISTED,
      description:
        'Addresses; one given twice counts once. Users of the workspace are busy until they decline.',
      examples: [['ada@example.org']],
    },
  ),
  resources: Type.Array(Type.String(), {
    maxItems: MAX_LISTED,
    description: 'Ids of rooms and equipment that the event takes; one given twice counts once.',
    examples: [['res_01k0qv5m8qe3rsgm9y3f2c7d4x']],
  }),
};

/** Who is told of a change of an event. */
export const Notify = Type.Enum(['none', 'all'], {
  default: 'none',
  description:
    'Whether the attendees are told by mail: "all" sends those of this server and, by the relay, all others an invitation or ' +
    'a cancellation (iMIP) in the name of the owner, with times and people and nothing else. "none" sends nothing.',
  examples: ['all'],
});

export const EventRemoval = Type.Object({ notify: Type.Optional(Notify) }, { additionalProperties: false });

const optional = {
  time_zone: Type.Optional(fields.time_zone),
  all_day: Type.Optional(fields.all_day),
  recurrence: Type.Optional(fields.recurrence),
  status: Type.Optional(fields.status),
  transparency: Type.Optional(fields.transparency),
  attendees: Type.Optional(fields.attendees),
  resources: Type.Optional(fields.resources),
};

export const NewEvent = Type.Object(
  { starts_at: fields.starts_at, ends_at: fields.ends_at, ...optional, notify: Type.Optional(Notify) },
  { additionalProperties: false, [UNKNOWN_FIELDS]: ABOUT_NOTHING },
);

export const EventChanges = Type.Object(
  {
    starts_at: Type.Optional(fields.starts_at),
    ends_at: Type.Optional(fields.ends_at),
    ...optional,
    notify: Type.Optional(Notify),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    [UNKNOWN_FIELDS]: ABOUT_NOTHING,
    description:
      'The fields to replace, at least one. A change of the times or of the recurrence ends what single instances differed in.',
  },
);

/** The names of all fields of an event. */
export const EVENT_FIELDS = (Object.keys(NewEvent.properties) as (keyof NewEvent)[]).filter(
  (name) => name !== 'notify',
);

const Response = Type.Enum(['accepted', 'tentative', 'declined'], {
  description: 'Who has declined is not kept busy by the event.',
});

const AttendeeResponse = Type.Enum(['needs_action', 'accepted', 'tentative', 'declined'], {
  description: 'needs_action until there is an answer, and again when the event has moved since.',
});

/** The fields that every record of an event begins and ends with. */
const shown = {
  id: Type.String({ description: 'Names the event.', examples: [EVENT_ID] }),
  calendar_id: Type.String({
    description: 'The calendar that it is on.',
    examples: ['cal_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
  starts_at: timestamp('A date where all_day is true. Of a series, the first.'),
  ends_at: timestamp('A date, exclusive, where all_day is true.', '2026-03-02T09:30:00.000Z'),
  time_zone: Type.String({
    description: 'The zone by whose clock the event goes.',
    examples: ['Europe/Berlin'],
  }),
  all_day: fields.all_day,
  recurrence: Type.Array(Type.String(), {
    description: 'RRULE, RDATE, EXDATE and EXRULE lines; empty for a single event.',
    examples: [['RRULE:FREQ=WEEKLY;BYDAY=MO']],
  }),
  status: fields.status,
  transparency: fields.transparency,
};
const stored = {
  resources: Type.Array(Type.String(), {
    description: 'Ids of the rooms and equipment that it takes.',
    examples: [['res_01k0qv5m8qe3rsgm9y3f2c7d4x']],
  }),
  created_at: timestamp('When it was made.'),
  updated_at: timestamp('When it was last changed.'),
};
const Address = Type.String({
  description: 'The address, as the event lists it.',
  examples: ['ada@example.org'],
});

const External = Type.Array(Type.String(), {
  description:
    'Those of the attendees who are outside of the workspace: they see nothing of the event here, and hear of it and ' +
    'answer by mail, where notify says so.',
  examples: [['someone@elsewhere.example']],
});

export const CalendarEvent = Type.Object(
  {
    ...shown,
    attendees: Type.Array(Type.String(), {
      description: 'The addresses that it lists.',
      examples: [['ada@example.org']],
    }),
    responses: Type.Array(
      Type.Object({ email: Address, response: AttendeeResponse }, { additionalProperties: false }),
      { description: 'What each of the attendees has answered.' },
    ),
    external: External,
    ...stored,
  },
  { title: 'CalendarEvent', additionalProperties: false },
);

export const EventDetails = Type.Object(
  {
    ...shown,
    attendees: Type.Array(
      Type.Object(
        {
          address: Address,
          user_id: Type.Optional(
            Type.String({
              description: 'The user of the workspace who has the address; absent for others.',
              examples: ['usr_01k0qv5m8qe3rsgm9y3f2c7d4x'],
            }),
          ),
          response: AttendeeResponse,
        },
        { additionalProperties: false },
      ),
      { description: 'Whom it lists, and what each has answered.' },
    ),
    external: External,
    ...stored,
  },
  { title: 'EventDetails', additionalProperties: false },
);

export const Invitation = Type.Object(
  {
    ...shown,
    owner_id: Type.String({
      description: 'The user who invites: whose calendar the event is on.',
      examples: ['usr_01k0qv5m8qe3rsgm9y3f2c7d4x'],
    }),
    response: Type.Enum(['needs_action', 'accepted', 'tentative', 'declined'], {
      description:
        'What the caller has answered; needs_action until there is an answer, and again when the event has moved since.',
    }),
    ...stored,
  },
  { title: 'Invitation', additionalProperties: false },
);

export const EventInstance = Type.Object(
  {
    id: Type.String({
      description: 'The event; all instances of a series have the same.',
      examples: [EVENT_ID],
    }),
    starts_at: timestamp('When it starts.'),
    ends_at: timestamp('When it ends, exclusive.', '2026-03-02T09:30:00.000Z'),
  },
  { title: 'EventInstance', additionalProperties: false },
);

const InstanceTime = (what: string) =>
  Type.String({
    format: 'date-time',
    description: `RFC 3339: ${what}`,
    examples: ['2026-03-02T00:00:00Z'],
  });

export const EventWindow = Type.Object(
  {
    start: InstanceTime('instances that end after it are listed.'),
    end: InstanceTime('instances that start before it are listed; after start, at most 366 days.'),
  },
  { additionalProperties: false },
);

export const InvitationWindow = Type.Object(
  {
    start: InstanceTime('events with an instance that ends after it are listed.'),
    end: InstanceTime(
      'events with an instance that starts before it are listed; after start, at most 366 days.',
    ),
  },
  { additionalProperties: false },
);

export const NewResponse = Type.Object(
  { response: Response },
  { additionalProperties: false, [UNKNOWN_FIELDS]: ABOUT_NOTHING },
);

export const EventResponse = Type.Object(
  { id: Type.String({ description: 'The event.', examples: [EVENT_ID] }), response: Response },
  { title: 'EventResponse', additionalProperties: false },
);

export const CalendarImportReport = Type.Object(
  {
    created: Type.Integer({
      description: 'Events that are new; a series and its changed instances are one.',
      examples: [40],
    }),
    updated: Type.Integer({ description: 'Events whose UID the calendar had already.', examples: [2] }),
    skipped: Type.Array(
      Type.Object(
        {
          index: Type.Integer({
            description: 'The place of the component in the file, from 0.',
            examples: [3],
          }),
          line: Type.Integer({
            description: 'The line of the file that it begins with, from 1.',
            examples: [58],
          }),
          reason: Type.String({ description: 'For people.', examples: ['It has no start.'] }),
        },
        { additionalProperties: false },
      ),
      { description: 'Components that could not be taken, or not with all of their attendees.' },
    ),
  },
  { title: 'EventImportReport', additionalProperties: false },
);

export type NewEvent = Static<typeof NewEvent>;
export type EventChanges = Static<typeof EventChanges>;
export type Notify = Static<typeof Notify>;
export type CalendarEvent = Static<typeof CalendarEvent>;
export type EventDetails = Static<typeof EventDetails>;
export type EventInstance = Static<typeof EventInstance>;
export type Invitation = Static<typeof Invitation>;
export type EventResponse = Static<typeof EventResponse>;
export type CalendarImportReport = Static<typeof CalendarImportReport>;
