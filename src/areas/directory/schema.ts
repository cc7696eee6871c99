import { type Static, Type } from 'typebox';
import { lineOfText, NOT_BLANK } from '../../contract/storable-text.ts';
import { timestamp } from '../../contract/timestamp.ts';
import { WANTED } from '../../contract/wanted.ts';
import { workingPeriod } from '../../contract/working-hours.ts';
import { EMAIL_ADDRESS, MAX_EMAIL_ADDRESS } from '../../text/email-address.ts';

const USER_ID = 'usr_01k0qv5m8qe3rsgm9y3f2c7d4x';

/** Maximum members of a group: bounds the size of its record. */
const MAX_MEMBERS = 10_000;
const MAX_ALIASES = 100;

const Name = lineOfText(1, 255, {
  ...NOT_BLANK,
  description: '1 to 255 characters, not only blanks, no control characters.',
  examples: ['Ada Lovelace'],
});

const EmailAddress = Type.String({
  maxLength: MAX_EMAIL_ADDRESS,
  pattern: EMAIL_ADDRESS,
  [WANTED]: 'Give an e-mail address of the form local@domain',
  description: 'An e-mail address, local@domain, up to 254 characters.',
  examples: ['ada@example.org'],
});

const Aliases = Type.Array(EmailAddress, {
  maxItems: MAX_ALIASES,
  description:
    'Further addresses whose mail reaches the user. None may be the e-mail address or given twice.',
  examples: [['countess@example.org']],
});

const TimeZone = Type.String({
  maxLength: 64,
  description: 'The name of an IANA time zone.',
  examples: ['Europe/Berlin'],
});

const UserState = Type.Enum(['active', 'suspended'], {
  description: 'The API keys of a suspended user stop at once, and mail for the user is refused.',
});

const ShareAvailability = Type.Boolean({
  description: 'Whether others see when the user is busy. When false, free/busy shows an empty list.',
});

/** Enough for three periods of each day. */
const MAX_PERIODS = 21;

const UserWorkingHours = Type.Array(workingPeriod('the user'), {
  maxItems: MAX_PERIODS,
  description:
    'When the user works, on the clock of time_zone; empty where that is not known. Finding a time takes it with ' +
    'working_hours "each".',
  examples: [[{ days: [1, 2, 3, 4, 5], start: '09:00', end: '17:00' }]],
});

export const User = Type.Object(
  {
    id: Type.String({ description: 'Names the user wherever a user id is taken.', examples: [USER_ID] }),
    name: Name,
    email: EmailAddress,
    aliases: Aliases,
    state: UserState,
    share_availability: ShareAvailability,
    time_zone: TimeZone,
    working_hours: UserWorkingHours,
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'User', additionalProperties: false },
);

export const NewUser = Type.Object(
  {
    email: EmailAddress,
    name: Name,
    aliases: Type.Optional(Aliases),
    time_zone: Type.Optional(TimeZone),
    working_hours: Type.Optional(UserWorkingHours),
  },
  { additionalProperties: false },
);

export const UserChanges = Type.Object(
  {
    name: Type.Optional(Name),
    email: Type.Optional(EmailAddress),
    aliases: Type.Optional(Aliases),
    state: Type.Optional(UserState),
    share_availability: Type.Optional(ShareAvailability),
    time_zone: Type.Optional(TimeZone),
    working_hours: Type.Optional(UserWorkingHours),
  },
  { additionalProperties: false, minProperties: 1, description: 'The fields to replace, at least one.' },
);

export const UserFilters = Type.Object(
  {
    q: Type.Optional(
      lineOfText(0, 255, {
        description:
          'Only users whose name, e-mail address or an alias contains this, without regard to case.',
        examples: ['ada'],
      }),
    ),
  },
  { additionalProperties: false },
);

const GroupName = Type.String({ ...Name, examples: ['Analysts'] });

const MemberIds = Type.Array(Type.String(), {
  maxItems: MAX_MEMBERS,
  description: 'Ids of users of the workspace; one given twice counts once.',
  examples: [[USER_ID]],
});

export const Group = Type.Object(
  {
    id: Type.String({
      description: 'Names the group, as when something is shared with it.',
      examples: ['grp_01k0qv5m8qe3rsgm9y3f2c7d4x'],
    }),
    name: GroupName,
    member_ids: MemberIds,
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'Group', additionalProperties: false },
);

export const NewGroup = Type.Object(
  { name: GroupName, member_ids: MemberIds },
  { additionalProperties: false },
);

export const GroupChanges = Type.Object(
  { name: Type.Optional(GroupName), member_ids: Type.Optional(MemberIds) },
  { additionalProperties: false, minProperties: 1, description: 'The fields to replace, at least one.' },
);

const ResourceName = Type.String({ ...Name, examples: ['Room 1.04'] });

const ResourceKind = Type.Enum(['room', 'equipment'], {
  description: 'What is booked: a room or equipment.',
});

const Capacity = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description: 'How many people it is made for.',
  examples: [12],
});

export const Resource = Type.Object(
  {
    id: Type.String({ description: 'What free/busy takes.', examples: ['res_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    name: ResourceName,
    kind: ResourceKind,
    capacity: Type.Optional(Capacity),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'Resource', additionalProperties: false },
);

export const NewResource = Type.Object(
  { name: ResourceName, kind: ResourceKind, capacity: Type.Optional(Capacity) },
  { additionalProperties: false },
);

export type User = Static<typeof User>;
export type NewUser = Static<typeof NewUser>;
export type UserChanges = Static<typeof UserChanges>;
export type Group = Static<typeof Group>;
export type NewGroup = Static<typeof NewGroup>;
export type GroupChanges = Static<typeof GroupChanges>;
export type Resource = Static<typeof Resource>;
export type NewResource = Static<typeof NewResource>;
