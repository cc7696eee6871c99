import { type Static, Type } from 'typebox';

/** Recipients of one message, of all kinds together. */
export const MAX_RECIPIENTS = 1_000;
const MAX_FILES = 100;
/** RFC 5322, 2.1.1: the maximum length of a line. */
const MAX_SUBJECT = 998;

/**
 * Code checks the form of an address (recipients.ts): one pattern for the whole text would be slow on hostile input.
 */
const WrittenAddress = Type.String({
  minLength: 1,
  maxLength: 600,
  pattern: '^[^\\p{Cc}]*$',
  description: 'Name <address> or a bare address; letters of every script.',
  examples: ['Charles Babbage <charles@example.org>'],
});

const addresses = (description: string) =>
  Type.Array(WrittenAddress, { maxItems: MAX_RECIPIENTS, description });

export const NewMessage = Type.Object(
  {
    to: addresses(
      `Whom it is for. May be empty where cc or bcc is not. At most ${MAX_RECIPIENTS} recipients in to, cc and bcc together.`,
    ),
    cc: Type.Optional(addresses('Who gets a copy.')),
    bcc: Type.Optional(addresses('Who gets a copy that nobody else hears of.')),
    subject: Type.Optional(
      Type.String({
        maxLength: MAX_SUBJECT,
        pattern: '^[^\\p{Cc}]*$',
        description:
          'At most 998 characters on one line. Left out of a reply, it is "Re: " and the subject that is replied to.',
        examples: ['Minutes of Tuesday'],
      }),
    ),
    text: Type.Optional(Type.String({ description: 'The plain text.', examples: ['First light.'] })),
    html: Type.Optional(
      Type.String({
        description:
          'The HTML, as it is; with text beside it, readers choose. Without either, the text is empty.',
        examples: ['<p>First light.</p>'],
      }),
    ),
    file_ids: Type.Optional(
      Type.Array(Type.String({ description: 'A file that the caller may read.' }), {
        maxItems: MAX_FILES,
        uniqueItems: true,
        description: `At most ${MAX_FILES} files to attach, in this order.`,
        examples: [['file_01k0qv5m8qe3rsgm9y3f2c7d4x']],
      }),
    ),
    reply_to_message_id: Type.Optional(
      Type.String({
        description:
          'The message of the caller that this one answers; it gets the flag answered. Answer whom its reply_to names, or else its from.',
        examples: ['msg_01k0qv5m8qe3rsgm9y3f2c7d4x'],
      }),
    ),
  },
  { additionalProperties: false },
);

export type NewMessage = Static<typeof NewMessage>;
