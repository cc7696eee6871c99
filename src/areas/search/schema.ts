import { type Static, Type } from 'typebox';
import { timestamp } from '../../contract/timestamp.ts';

const KindName = Type.Enum(['message', 'contact', 'file', 'document', 'spreadsheet'], {
  description: 'A kind of objects.',
  examples: ['message'],
});

export const SearchQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description:
        'Words that all stand in an object, as wholes or with "*" as a beginning (invo*), without regard to case, accents and width. "a phrase", -without, OR between two. Operators: from: to: cc: subject: body: filename: label: in: is:unread, read, starred, answered; has:attachment; before: after: larger: smaller: kind: owner:. What is no operator is text.',
      examples: ['invoice from:anna after:2026-01-01'],
    }),
    kinds: Type.Optional(
      Type.Array(KindName, {
        minItems: 1,
        maxItems: 10,
        description: 'Kinds to search; repeat it for several. Without it, all that the key may read.',
        examples: [['message', 'file']],
      }),
    ),
  },
  { additionalProperties: false },
);
export type SearchQuery = Static<typeof SearchQuery>;

export const SearchHit = Type.Object(
  {
    kind: KindName,
    id: Type.String({ description: 'The id of the object.', examples: ['msg_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    title: Type.String({
      description: 'The subject, the name or the title.',
      examples: ['Invoice of November'],
    }),
    snippet: Type.String({
      description: 'The place in its texts that shows most of the words, about 160 characters on one line.',
      examples: ['… please find the invoice for November attached'],
    }),
    highlights: Type.Array(
      Type.Array(Type.Integer({ minimum: 0 }), {
        minItems: 2,
        maxItems: 2,
        description: 'Start and length, in UTF-16 units of the snippet.',
      }),
      { description: 'The words of the query in the snippet, in order.', examples: [[[18, 7]]] },
    ),
    at: timestamp('When the message came, or when the object last changed.'),
    record: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The object as the list of its kind shows it.',
        examples: [{ id: 'msg_01k0qv5m8qe3rsgm9y3f2c7d4x' }],
      },
    ),
  },
  { title: 'SearchHit', additionalProperties: false },
);
