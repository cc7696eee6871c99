import { type Operation, writes } from '../../../contract/operation.ts';
import { requirePermission } from '../../../contract/principal.ts';
import { MAX_MESSAGE_BYTES } from '../../../formats/messages/message.ts';
import { MessageSummary } from '../schema.ts';
import type { MailService } from '../service.ts';
import { recipientProblems } from './recipients.ts';
import { NewMessage } from './schema.ts';

export function sendOperations(mail: MailService): Operation[] {
  return [
    writes({
      id: 'sendMessage',
      area: 'Mail',
      method: 'POST',
      path: '/v1/messages',
      summary: 'Send a message',
      description: `From the user that the key acts as. Answers the summary of the copy in Sent. Everyone whose address a user of this server has gets it at once, everyone else through the relay, in the background: what cannot be delivered within five days comes back as a message from MAILER-DAEMON. All recipients get it or none: an unknown address of the own domain, or an address elsewhere where no relay is set, refuses the whole. With its files, encoded for mail, it has at most ${MAX_MESSAGE_BYTES} bytes. Attaching files takes files.read as well, and answering a message mail.messages.read. A reply names the message that it answers as reply_to_message_id, and joins its conversation; its recipients are given as those of any message.`,
      permissions: ['mail.messages.send'],
      body: NewMessage,
      answer: MessageSummary,
      status: 201,
      errors: ['not_found', 'forbidden', 'unknown_recipient', 'no_relay'],
      check: ({ principal, body }) => {
        // What is attached leaves the drive: a key that could not download a file must not mail it out either.
        if (body.file_ids !== undefined) requirePermission(principal, 'files.read');
        // A reply has subject and references of the message: a key that could not read it must not learn them so.
        if (body.reply_to_message_id !== undefined) requirePermission(principal, 'mail.messages.read');
        return recipientProblems(body);
      },
      prepare: ({ principal, body }) => mail.compose(principal, body),
      handle: (tx, { principal }, message) => mail.send(tx, principal, message),
    }),
  ];
}
