import type { Flag } from '../../src/areas/mail/changes/flags.ts';
import { Random } from './random.ts';

/** One made-up message: everything that a listing shows or filters by, and how large its parts are. */
export interface GeneratedMessage {
  folder: string;
  flags: readonly Flag[];
  labels: readonly string[];
  subject: string;
  from: string;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  messageId: string;
  /** The newest Message-IDs of its conversation, oldest first; empty where it begins one. */
  references: readonly string[];
  /** The Message-ID with which its conversation began. */
  conversation: string;
  textBytes: number;
  /** Before encoding; 0 for none. */
  attachmentBytes: number;
}

export const LABELS = ['work', 'todo', 'family', 'travel', 'receipts', 'lists'] as const;
const LABEL_SHARE = 0.04;
const REPLY_SHARE = 0.4;
const ATTACHMENT_SHARE = 0.1;
/** A reply answers one of so many messages before it. */
const RECENT = 200;

export const FOLDERS = [
  ['Inbox', 70],
  ['Archive', 18],
  ['Sent', 5],
  ['Junk', 4],
  ['Trash', 3],
] as const;

/** The sets of flags that mail programs leave behind; 30 % of the mail is unread, 14 % starred. */
const FLAG_SETS: readonly (readonly [readonly Flag[], number])[] = [
  [['read'], 44],
  [[], 22],
  [['read', 'answered'], 11],
  [['read', 'starred'], 5],
  [['starred'], 4],
  [['read', 'answered', 'starred'], 4],
  [['answered'], 2],
  [['read', 'deleted'], 3],
  [['deleted'], 1],
  [['read', 'draft'], 3],
  [['answered', 'starred'], 1],
];

const FIRST_DAY = Date.UTC(2016, 0, 1);
const DAYS = 3_650;
const DAY_MS = 86_400_000;
const SMALLEST = 2_000;
const LARGEST = 83_000;
/** Sizes are this power of an even distribution: most mail is small, and the mean is about 13 KB. */
const SKEW = 6.4;
/** What base64 and its line breaks make of a byte. */
const ENCODED = 1.37;
const HEADER_BYTES = 350;

const WORDS =
  'the minutes of our meeting on tuesday are here please read them before friday and tell me what you think about budget plan for next quarter we need more time than expected because supplier was late again thanks best regards'.split(
    ' ',
  );
const NAMES = [
  'Ada Lovelace',
  'Charles Babbage',
  'Grace Hopper',
  'Alan Turing',
  'Jean Bartik',
  'Zuzana Nová',
];

/** So many messages in the order in which they arrived, the same on every run. */
export function* generateMail(count: number): Generator<GeneratedMessage> {
  const random = new Random(count);
  const recent: GeneratedMessage[] = [];
  for (let i = 0; i < count; i++) {
    const message = generate(random, i, count, recent);
    recent[i % RECENT] = message;
    yield message;
  }
}

function generate(
  random: Random,
  index: number,
  count: number,
  recent: readonly GeneratedMessage[],
): GeneratedMessage {
  const parent = index > 0 && random.chance(REPLY_SHARE) ? random.of(recent) : undefined;
  const name = random.of(NAMES);
  const bytes = SMALLEST - HEADER_BYTES + (LARGEST - SMALLEST) * random.next() ** SKEW;
  const attached = random.chance(ATTACHMENT_SHARE) ? 0.8 * bytes : 0;
  const messageId = `<${index}.${random.below(1e9).toString(36)}@mail.example.org>`;
  return {
    folder: random.weighted(FOLDERS),
    flags: random.weighted(FLAG_SETS),
    labels: LABELS.filter(() => random.chance(LABEL_SHARE)),
    subject: parent ? `Re: ${parent.subject.replace(/^Re: /, '')}` : words(random, 3 + random.below(6)),
    from: `${name} <${name.split(' ')[0]?.toLowerCase()}.${random.below(500)}@example.org>`,
    receivedAt: FIRST_DAY + Math.floor(((index + random.next()) / count) * DAYS * DAY_MS),
    messageId,
    conversation: parent?.conversation ?? messageId,
    references: parent ? [...parent.references.slice(-8), parent.messageId] : [],
    textBytes: Math.round(bytes - attached),
    attachmentBytes: Math.round(attached / ENCODED),
  };
}

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.of(WORDS)).join(' ');
}

/** The message as it would have arrived, of about the bytes that it says. */
export function rfc822(message: GeneratedMessage): string {
  const { attachmentBytes, messageId } = message;
  const text = prose(message.textBytes, messageId);
  if (attachmentBytes === 0) return `${headers(message, 'text/plain; charset=utf-8')}\r\n${text}\r\n`;
  const boundary = 'part-of-the-message';
  return [
    headers(message, `multipart/mixed; boundary="${boundary}"`),
    `--${boundary}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}`,
    `--${boundary}\r\nContent-Type: application/pdf; name="report.pdf"`,
    'Content-Disposition: attachment; filename="report.pdf"',
    `Content-Transfer-Encoding: base64\r\n\r\n${base64Lines(attachmentBytes, messageId)}`,
    `--${boundary}--\r\n`,
  ].join('\r\n');
}

function headers(message: GeneratedMessage, contentType: string): string {
  const received = new Date(message.receivedAt).toUTCString();
  const { references, messageId } = message;
  return [
    `Received: from mx.example.org by mail.example.net with ESMTPS; ${received}`,
    `From: ${message.from}`,
    'To: Owner <owner@localhost>, Team <team@example.net>',
    `Subject: ${message.subject}`,
    `Date: ${received}`,
    `Message-ID: ${messageId}`,
    ...(references.length > 0
      ? [`In-Reply-To: ${references.at(-1)}`, `References: ${references.join('\r\n ')}`]
      : []),
    'MIME-Version: 1.0',
    `Content-Type: ${contentType}`,
    '',
  ].join('\r\n');
}

/** Lines of words, so many bytes; every message begins with its own id, so that no two are the same. */
function prose(bytes: number, messageId: string): string {
  const line = `${WORDS.slice(0, 14).join(' ')}\r\n`;
  return `${messageId}\r\n${line.repeat(Math.ceil(bytes / line.length))}`.slice(0, bytes);
}

function base64Lines(bytes: number, messageId: string): string {
  const encoded = Buffer.alloc(bytes, messageId).toString('base64');
  return encoded.replace(/.{76}/g, '$&\r\n');
}
