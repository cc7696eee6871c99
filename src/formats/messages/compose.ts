import { Readable } from 'node:stream';
import { giveWay } from '../../turns/next-turn.ts';
import type { Address } from './message.ts';

/** A file on its way into a message. */
export interface DraftAttachment {
  filename: string;
  mimeType: string;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** What a message is composed of; the ids with their angle brackets. */
export interface Draft {
  messageId: string;
  date: Date;
  from: Address;
  to: readonly Address[];
  cc: readonly Address[];
  subject: string;
  text: string | undefined;
  html: string | undefined;
  inReplyTo: string;
  references: readonly string[];
  attachments: readonly DraftAttachment[];
}

/**
 * The message as it leaves (RFC 5322, MIME), CR LF line ends. Text that no header can hold is encoded, so a field never
 * ends early. Fails with what an attachment fails with.
 */
export async function composeMessage(draft: Draft): Promise<Readable> {
  // Only sending needs it.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    messageId: draft.messageId,
    date: draft.date,
    from: draft.from,
    to: [...draft.to],
    cc: [...draft.cc],
    subject: draft.subject,
    alternatives: await alternativesOf(draft),
    inReplyTo: draft.inReplyTo,
    references: [...draft.references],
    attachments: draft.attachments.map(attachment),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().createReadStream();
}

/** Plain text first, so that readers who can choose the last (RFC 2046, 5.1.4). Without either, the text is empty. */
async function alternativesOf({ text, html }: Draft) {
  const plain = text ?? (html ? undefined : '');
  return [
    ...(plain === undefined ? [] : [await alternative('text/plain', plain)]),
    ...(html ? [await alternative('text/html', html)] : []),
  ];
}

async function alternative(type: string, text: string) {
  return { contentType: `${type}; charset=utf-8`, content: await canonical(text) };
}

/** Characters whose line ends are made in one turn. */
const PORTION = 64 * 1024;

/** RFC 5322, 2.3: "CR and LF MUST only occur together as CRLF". */
async function canonical(text: string): Promise<string> {
  const portions: string[] = [];
  for (let start = 0; start < text.length; ) {
    const most = start + PORTION;
    const end = text.startsWith('\r\n', most - 1) ? most + 1 : most;
    portions.push(text.slice(start, end).replace(/\r\n?|\n/g, '\r\n'));
    start = end;
    await giveWay();
  }
  return portions.join('');
}

function attachment({ filename, mimeType, open }: DraftAttachment) {
  return { filename, contentType: partType(mimeType), content: Readable.from(opened(open)) };
}

/** RFC 2046, 5.2.1: a message within a message must not be encoded; as a file its bytes are kept whatever they are. */
function partType(mimeType: string): string {
  return /^(message|multipart)\//i.test(mimeType) ? 'application/octet-stream' : mimeType;
}

/** Opens when it is read, so that of many attachments one is open at a time. */
async function* opened(open: DraftAttachment['open']): AsyncGenerator<Uint8Array> {
  yield* await open();
}
