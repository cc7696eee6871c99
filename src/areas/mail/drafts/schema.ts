import { type Static, Type } from 'typebox';
import { Message } from '../schema.ts';
import { NewMessage } from '../sending/schema.ts';

const sent = NewMessage.properties;

/** What a draft is made of: what a message to be sent is, and nothing is required. */
export const DraftFields = Type.Object(
  {
    to: Type.Optional(sent.to),
    cc: sent.cc,
    bcc: sent.bcc,
    subject: sent.subject,
    text: sent.text,
    html: sent.html,
    file_ids: sent.file_ids,
    reply_to_message_id: sent.reply_to_message_id,
  },
  { additionalProperties: false },
);

export type DraftFields = Static<typeof DraftFields>;

export const Draft = Type.Object(
  {
    id: Type.String({
      description: 'Stays, however often the draft is replaced: drf_ and what follows msg_ in message.id.',
      examples: ['drf_01k0qv5m8qe3rsgm9y3f2c7d4x'],
    }),
    state: Type.String({
      description: 'Changes with every replacement. Goes into If-Match; it is also the ETag.',
      examples: ['Yk3tq0oV0z5n1mXo7l2c9A'],
    }),
    content: Type.Object(DraftFields.properties, {
      additionalProperties: false,
      description: 'What was given last, member by member: what an editor shows, and a replacement takes.',
    }),
    message: Message,
  },
  { title: 'Draft', additionalProperties: false },
);
