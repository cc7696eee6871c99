import { Readable } from 'node:stream';
import { giveWay } from '../../turns/next-turn.ts';
import type { Address } from './message.ts';

/** A file to be attached to an outgoing message. */
export interface DraftAttachment {
  filename: string;
  mimeType: string;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** The content of an outgoing message. Message ids include their angle brackets. */
export interface Draft {
  messageId: string;
  date: Date;
  from: Address;
  to: readonly Address[];
  cc: readonly Address[];
  subject: string;
  text: string | undefined;
  html: string | undefined;
  /** An iCalendar object with its iTIP method, the last of the alternatives (RFC 6047). */
  calendar?: { method: string; text: string };
  inReplyTo: string;
  references: readonly string[];
  attachments: readonly DraftAttachment[];
}

/**
 * Composes the message in its transmitted form (RFC 5322, MIME; CR LF line ends). Encodes text that a header
 * cannot hold, so no text can end a field early. The stream fails with the error of an attachment.
 */
export async function composeMessage(draft: Draft): Promise<Readable> {
  // Only sending needs this library.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { encodeWord } = await import('nodemailer/lib/mime-funcs');
  const composer = new MailComposer({
    messageId: draft.messageId,
    date: draft.date,
    from: draft.from,
    to: [...draft.to],
    cc: [...draft.cc],
    // The library writes a plain text as it is: one that looks like an encoded word would be read as what that means.
    subject: draft.subject.includes('=?') ? encodeWord(draft.subject, 'Q', WORD) : draft.subject,
    alternatives: await alternativesOf(draft),
    inReplyTo: draft.inReplyTo,
    references: [...draft.references],
    attachments: draft.attachments.map(attachment),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().createReadStream();
}

/** Characters of an encoded word, of which RFC 2047, section 2 allows 75. */
const WORD = 52;

/**
 * Plain text first: readers show the last alternative that they support (RFC 2046 5.1.4). Without both, an empty
 * text.
 */
async function alternativesOf({ text, html, calendar }: Draft) {
  const plain = text ?? (html ? undefined : '');
  return [
    ...(plain === undefined ? [] : [await alternative('text/plain', plain)]),
    ...(html ? [await alternative('text/html', html)] : []),
    ...(calendar ? [await alternative('text/calendar', calendar.text, `; method=${calendar.method}`)] : []),
  ];
}

async function alternative(type: string, text: string, parameters = '') {
  return { contentType: `${type}; charset=utf-8${parameters}`, content: await withCrLf(text) };
}

/** Characters converted in one turn of the event loop. */
const PORTION = 64 * 1024;

/** RFC 5322 2.3: "CR and LF MUST only occur together as CRLF". */
async function withCrLf(text: string): Promise<string> {
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
  return { filename, contentType: partType(mimeType), content: Readable.from(openOnRead(open)) };
}

/** RFC 2046 5.2.1 forbids encoding of a nested message. Sent as a plain file, its bytes arrive unchanged. */
function partType(mimeType: string): string {
  return /^(message|multipart)\//i.test(mimeType) ? 'application/octet-stream' : mimeType;
}

/** Opens the attachment at the first read, so that only one attachment is open at a time. */
async function* openOnRead(open: DraftAttachment['open']): AsyncGenerator<Uint8Array> {
  yield* await open();
}
