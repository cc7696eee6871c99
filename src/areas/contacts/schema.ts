import { type Static, Type } from 'typebox';
import { NOT_BLANK } from '../../contract/storable-text.ts';
import { timestamp } from '../../contract/timestamp.ts';

const BOOK_ID = 'abk_01k0qv5m8qe3rsgm9y3f2c7d4x';

/** Control characters not allowed in a line, and in notes: a vCard text has only line breaks and tabs. */
export const CONTROLS = '\\u0000-\\u001f\\u007f';
export const CONTROLS_OF_NOTES = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f';
const NO_CONTROLS = `^[^${CONTROLS}]*$`;
const LINES = `^[^${CONTROLS_OF_NOTES}]*$`;

/** "At least one of name, given_name, family_name, organization, emails, phones" */
export const NAMING = ['name', 'given_name', 'family_name', 'organization', 'emails', 'phones'] as const;

/** E-mail addresses, and phone numbers, of one contact: bounds the size of a listing. */
const MAX_ITEMS = 100;
/** In characters. */
export const MAX_NAME = 255;
const MAX_ADDRESS = 320;
const MAX_NOTES = 50_000;

function line(description: string, example: string) {
  return Type.String({
    maxLength: MAX_NAME,
    pattern: NO_CONTROLS,
    description: `${description} Up to ${MAX_NAME} characters, no control characters.`,
    examples: [example],
  });
}

const Label = line('A free label; "" is none.', 'work');

const EmailItem = Type.Object(
  {
    address: Type.String({
      minLength: 1,
      maxLength: MAX_ADDRESS,
      pattern: NO_CONTROLS,
      ...NOT_BLANK,
      description: `1 to ${MAX_ADDRESS} characters, not only blanks, no control characters; kept as it is.`,
      examples: ['ada@example.org'],
    }),
    type: Type.Optional(Label),
  },
  { title: 'ContactEmail', additionalProperties: false },
);

const PhoneItem = Type.Object(
  {
    number: Type.String({
      minLength: 1,
      maxLength: MAX_NAME,
      pattern: NO_CONTROLS,
      ...NOT_BLANK,
      description: `1 to ${MAX_NAME} characters, not only blanks, no control characters; kept as it is.`,
      examples: ['+44 20 7946 0000'],
    }),
    type: Type.Optional(Label),
  },
  { title: 'ContactPhone', additionalProperties: false },
);

const fields = {
  name: Type.Optional(line('Display name.', 'Ada Lovelace')),
  given_name: Type.Optional(line('Given name.', 'Ada')),
  family_name: Type.Optional(line('Family name.', 'Lovelace')),
  emails: Type.Optional(
    Type.Array(EmailItem, {
      maxItems: MAX_ITEMS,
      description: `In stored order; the first is the one to compose to. Up to ${MAX_ITEMS}.`,
    }),
  ),
  phones: Type.Optional(
    Type.Array(PhoneItem, { maxItems: MAX_ITEMS, description: `In stored order. Up to ${MAX_ITEMS}.` }),
  ),
  organization: Type.Optional(line('Organization.', 'Analytical Engines')),
  title: Type.Optional(line('Job title, not a name prefix.', 'Programmer')),
  notes: Type.Optional(
    Type.String({
      maxLength: MAX_NOTES,
      pattern: LINES,
      description: `Up to ${MAX_NOTES} characters, no control characters but tabs and line breaks, which become "\\n".`,
      examples: ['Met in London.'],
    }),
  ),
};

/** The fields of a contact without its address book. */
export const ContactFields = Type.Object(fields, { additionalProperties: false });

const BookId = Type.String({ description: 'The book that holds it.', examples: [BOOK_ID] });

export const NewContact = Type.Object(
  { address_book_id: BookId, ...fields },
  {
    additionalProperties: false,
    anyOf: NAMING.map((field) => ({ required: [field] })),
    description:
      'At least one of name, given_name, family_name, organization, emails and phones. A name that is absent or "" is made of the others. A line of blanks counts as "".',
  },
);

export const ContactChanges = Type.Object(
  { address_book_id: Type.Optional(BookId), ...fields },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'The fields to replace, at least one. "", a line of blanks or an empty list clears a field.',
  },
);

export const Contact = Type.Object(
  {
    id: Type.String({ description: 'Names the contact.', examples: ['con_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    address_book_id: BookId,
    ...fields,
    name: Type.String({ description: 'Display name.', examples: ['Ada Lovelace'] }),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'Contact', additionalProperties: false, description: 'Empty fields are omitted.' },
);

export const ContactFilters = Type.Object(
  {
    address_book_id: Type.Optional(
      Type.String({ description: 'Restrict to one address book.', examples: [BOOK_ID] }),
    ),
    q: Type.Optional(
      Type.String({
        maxLength: MAX_NAME,
        pattern: NO_CONTROLS,
        description:
          'Only contacts whose name, given or family name or any e-mail address contains this, without regard to case.',
        examples: ['ada'],
      }),
    ),
    trashed: Type.Optional(Type.Boolean({ description: 'true lists the trash instead. Default false.' })),
  },
  { additionalProperties: false },
);

const BookName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  pattern: NO_CONTROLS,
  ...NOT_BLANK,
  description: `1 to ${MAX_NAME} characters, not only blanks, no control characters.`,
  examples: ['Friends'],
});

const BookDescription = Type.String({
  maxLength: 1_000,
  pattern: LINES,
  description: 'Up to 1000 characters, no control characters but tabs and line breaks.',
  examples: ['People from the club'],
});

export const AddressBook = Type.Object(
  {
    id: Type.String({
      description: 'Used as address_book_id when listing or creating contacts.',
      examples: [BOOK_ID],
    }),
    name: BookName,
    description: BookDescription,
    contact_count: Type.Integer({
      description: 'Contacts in the book, without those in the trash.',
      examples: [128],
    }),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'AddressBook', additionalProperties: false },
);

export const NewAddressBook = Type.Object(
  { name: BookName, description: Type.Optional(BookDescription) },
  { additionalProperties: false },
);

export const AddressBookChanges = Type.Object(
  { name: Type.Optional(BookName), description: Type.Optional(BookDescription) },
  { additionalProperties: false, minProperties: 1, description: 'The fields to replace, at least one.' },
);

export const ImportReport = Type.Object(
  {
    created: Type.Integer({ description: 'Cards that became contacts.', examples: [120] }),
    updated: Type.Integer({
      description: 'Cards whose UID a contact of the book had already.',
      examples: [8],
    }),
    skipped: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: 'Which card of the body, from 0.', examples: [3] }),
          reason: Type.String({ description: 'For people.', examples: ['It has no END:VCARD.'] }),
        },
        { additionalProperties: false },
      ),
      { description: 'Cards that could not be taken.' },
    ),
  },
  { title: 'ContactImportReport', additionalProperties: false },
);

export type ContactFields = Static<typeof ContactFields>;
export type NewContact = Static<typeof NewContact>;
export type ContactChanges = Static<typeof ContactChanges>;
export type Contact = Static<typeof Contact>;
export type AddressBook = Static<typeof AddressBook>;
export type NewAddressBook = Static<typeof NewAddressBook>;
export type AddressBookChanges = Static<typeof AddressBookChanges>;
export type ImportReport = Static<typeof ImportReport>;
