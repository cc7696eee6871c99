import { type Static, Type } from 'typebox';
import { timestamp } from '../../../contract/timestamp.ts';
import { UNKNOWN_FIELDS } from '../../../contract/violations.ts';
import { workingPeriod } from '../../../contract/working-hours.ts';
import { MAX_EMAIL_ADDRESS } from '../../../text/email-address.ts';
import { ABOUT_NOTHING } from '../events/event-schema.ts';

/** "At most 200 attendees and resources together and 366 days." */
export const MAX_ASKED = 200;
export const MAX_WINDOW_MS = 366 * 86_400_000;

const MAX_ID = 255;
/** Minutes of a day. */
const DAY = 1_440;
const MAX_RESULTS = 50;

const Addresses = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: MAX_EMAIL_ADDRESS }), {
    description: `${description} E-mail addresses or aliases, without regard to case; one given twice counts once.`,
    examples: [['ada@example.org']],
  });

const Resources = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: MAX_ID }), {
    description: `${description} Ids; one given twice counts once.`,
    examples: [['res_01k0qv5m8qe3rsgm9y3f2c7d4x']],
  });

const Start = Type.String({
  format: 'date-time',
  description: 'When the window begins that is looked at. RFC 3339.',
  examples: ['2026-03-02T00:00:00Z'],
});

const End = Type.String({
  format: 'date-time',
  description: 'When it ends: after start, at most 366 days later. RFC 3339.',
  examples: ['2026-03-09T00:00:00Z'],
});

export const FreeBusyQuestion = Type.Object(
  {
    attendees: Type.Optional(Addresses('People; required unless resources is given.')),
    resources: Type.Optional(Resources('Rooms and equipment; required unless attendees is given.')),
    start: Start,
    end: End,
  },
  { additionalProperties: false, [UNKNOWN_FIELDS]: ABOUT_NOTHING },
);

const BusyTime = Type.Object(
  {
    starts_at: timestamp('When it starts.'),
    ends_at: timestamp('When it ends, exclusive.', '2026-03-02T09:30:00.000Z'),
  },
  { title: 'BusyInterval', additionalProperties: false },
);

const BusyTimes = Type.Array(BusyTime, { description: 'Merged, within the window, in order.' });

const UnknownAttendees = Type.Array(Type.String(), {
  description: 'Addresses outside of the workspace: unknown, not free.',
  examples: [['someone@elsewhere.example']],
});

export const FreeBusy = Type.Object(
  {
    attendees: Type.Array(
      Type.Object(
        {
          email: Type.String({ description: 'As it was asked for.', examples: ['ada@example.org'] }),
          busy: BusyTimes,
        },
        { additionalProperties: false },
      ),
      { description: 'One for each address of the workspace that was asked about.' },
    ),
    resources: Type.Array(
      Type.Object(
        {
          id: Type.String({
            description: 'The room or equipment.',
            examples: ['res_01k0qv5m8qe3rsgm9y3f2c7d4x'],
          }),
          busy: BusyTimes,
        },
        { additionalProperties: false },
      ),
      { description: 'One for each room or equipment that was asked about.' },
    ),
    unknown_attendees: UnknownAttendees,
    unknown_resources: Type.Array(Type.String(), {
      description: 'Ids that name no room or equipment of the workspace.',
      examples: [['res_unknown']],
    }),
  },
  { title: 'FreeBusy', additionalProperties: false },
);

const Minutes = (minimum: number, maximum: number, usual: number, description: string) =>
  Type.Integer({
    minimum,
    maximum,
    default: usual,
    examples: [usual],
    description: `${description} ${minimum} to ${maximum}, default ${usual}.`,
  });

const EACH = 'each';

export const TimeQuestion = Type.Object(
  {
    attendees: Type.Optional(Addresses('People who must be free.')),
    optional_attendees: Type.Optional(Addresses('People who should be free.')),
    resources: Type.Optional(Resources('Rooms and equipment that must all be free.')),
    any_of_resources: Type.Optional(
      Resources('Rooms and equipment of which one must be free: the first in this order.'),
    ),
    start: Start,
    end: End,
    duration_minutes: Type.Optional(Minutes(1, 366 * DAY, 30, 'How long the meeting is.')),
    interval_minutes: Type.Optional(
      Minutes(1, 366 * DAY, 15, 'From one possible start to the next; the first is start.'),
    ),
    max_results: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 10,
        examples: [5],
        description: `1 to ${MAX_RESULTS}, default 10; above ${MAX_RESULTS} it is ${MAX_RESULTS}.`,
      }),
    ),
    time_zone: Type.Optional(
      Type.String({
        maxLength: 64,
        default: 'UTC',
        description: 'The IANA zone of the working hours.',
        examples: ['Europe/Berlin'],
      }),
    ),
    working_hours: Type.Optional(
      Type.Union(
        [
          Type.Array(workingPeriod('time_zone'), { minItems: 1, maxItems: 50 }),
          Type.Enum([EACH], { type: 'string' }),
        ],
        {
          description:
            'When the meeting may be: within one of these, or at any time when absent. "each" takes the working hours that ' +
            'users have, in their zones: those of everybody who is required hold, and who is optional cannot come outside ' +
            'of theirs. Users without any, and those who do not share their availability, can meet at any time.',
          examples: [[{ days: [1, 2, 3, 4, 5], start: '09:00', end: '17:00' }], EACH],
        },
      ),
    ),
    strict: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether an address that nobody in the workspace has is refused with 404, instead of being named.',
      }),
    ),
    ignore_event_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_ID,
        description:
          'An event on a calendar of the caller that keeps nobody busy in this question, with all of its instances: the ' +
          'one that is to move.',
        examples: ['evt_01k0qv5m8qe3rsgm9y3f2c7d4x'],
      }),
    ),
    buffer_minutes: Type.Optional(
      Minutes(
        0,
        7 * DAY,
        0,
        'What everybody needs before and after; it may leave the window and the working hours.',
      ),
    ),
  },
  { additionalProperties: false, [UNKNOWN_FIELDS]: ABOUT_NOTHING },
);

export const FoundTimes = Type.Object(
  {
    slots: Type.Array(
      Type.Object(
        {
          starts_at: timestamp('When the meeting can start.'),
          ends_at: timestamp('When it would end.', '2026-03-02T09:30:00.000Z'),
          available: Type.Array(Type.String(), {
            description: 'Who can come, the required as well.',
            examples: [['ada@example.org']],
          }),
          unavailable: Type.Array(Type.String(), {
            description: 'Optional attendees who cannot.',
            examples: [['grace@example.org']],
          }),
          resource_id: Type.Optional(
            Type.String({
              description: 'Which of any_of_resources is free.',
              examples: ['res_01k0qv5m8qe3rsgm9y3f2c7d4x'],
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { description: 'Those that fewest of the optional attendees miss first, then the earliest.' },
    ),
    unknown_attendees: UnknownAttendees,
    empty_reason: Type.Union(
      [
        Type.Enum(['attendees_busy', 'resources_busy', 'outside_working_hours', 'window_too_short']),
        Type.Null(),
      ],
      { description: 'Why there is no slot; null where there is one.' },
    ),
  },
  { title: 'FoundTimes', additionalProperties: false },
);

export { MAX_RESULTS };

export type FreeBusyQuestion = Static<typeof FreeBusyQuestion>;
export type TimeQuestion = Static<typeof TimeQuestion>;
export type FoundTimes = Static<typeof FoundTimes>;
