import { type Static, Type } from 'typebox';
import { NOT_BLANK } from '../../../contract/line-of-text.ts';
import { timestamp } from '../../../contract/timestamp.ts';
import { WANTED } from '../../../contract/wanted.ts';

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
  [WANTED]: 'Must be a colour of the form #rgb or #rrggbb',
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
