import { type Operation, writes } from '../../../contract/operation.ts';
import { requirePermission } from '../../../contract/principal.ts';
import { MAX_MESSAGE_BYTES } from '../../../formats/messages/message.ts';
import { MessageSummary } from '../schema.ts';
import type { MailService } from '../service.ts';
import { recipientProblems } from './recipients.ts';
import { NewMessage } from './schema.ts';

/** Sending a message. Drafts are sent by their own operations. */
export function sendingOperations(mail: MailService): Operation[] {
  return [
    writes({
      id: 'sendMessage',
      area: 'Mail',
      method: 'POST',
      path: '/v1/messages',
      summary: 'Send a message',
      agent: {
        tool: 'send_message',
        title: 'Send a message',
        hint: 'Sends it now.',
        isDestructive: true,
        isOpen: true,
        hasTextOfOthers: true,
      },
      description: `From the user that the key acts as. Answers the summary of the copy in Sent. Everyone whose address a user of this server has gets it at once, everyone else through the relay, in the background: what cannot be delivered within five days comes back as a message from MAILER-DAEMON. All recipients get it or none: an unknown address of the own domain, or an address elsewhere where no relay is set, refuses the whole. With its files, encoded for mail, it has at most ${MAX_MESSAGE_BYTES} bytes. Attaching files takes files.read as well, and answering a message mail.messages.read. A reply names the message that it answers as reply_to_message_id, and joins its conversation; its recipients are given as those of any message.`,
      permissions: ['mail.messages.send'],
      body: NewMessage,
      emits: ['message.created', 'message.changed', 'folder.created'],
      answer: MessageSummary,
      status: 201,
      errors: ['not_found', 'forbidden', 'unknown_recipient', 'no_relay'],
      check: ({ principal, body }, sent) => {
        // An attachment leaves the drive: a key that may not download a file must not mail it either.
        if (body.file_ids !== undefined) requirePermission(principal, 'files.read');
        // A reply reveals subject and references of the answered message: a key that may not read it must not see them.
        if (body.reply_to_message_id !== undefined) requirePermission(principal, 'mail.messages.read');
        return recipientProblems(body, sent);
      },
      prepare: ({ principal, body }) => mail.sending.compose(principal, body),
      handle: (tx, { principal }, message) => mail.sending.send(tx, principal, message),
    }),
  ];
}
