import type { Mailbox, Message } from '../../../../client/src/index.ts';
import { isSameAddress, withoutRepeats, written } from './addresses.ts';
import { type Content, NOTHING } from './content.ts';

export type Mode = 'reply' | 'reply-all' | 'forward';

/** The words around what is quoted. */
export interface QuoteWords {
  /** Such as "On 3 May, Ada wrote:". */
  wrote(when: string, who: string): string;
  forwarded: string;
  from: string;
  sent: string;
  subject: string;
  to: string;
  cc: string;
}

/** Prefixes that mail programs put before the subject of an answer, and of something forwarded. */
const ANSWER = /^(?:re|aw|sv|antw|odp|vs|ref|rif)\s*(?:\[\d+\])?:/i;
const FORWARD = /^(?:fwd?|wg|tr|rv|vl|vb)\s*:/i;
/** The server takes no longer subject. */
const MAX_SUBJECT = 998;

/** What an answer to a message, or its forwarding, begins with. `own` are the addresses of the person. */
export function begun(
  mode: Mode,
  message: Message,
  own: readonly string[],
  words: QuoteWords,
  when: string,
): Content {
  const subject = subjectOf(mode, message.subject);
  if (mode === 'forward') return { ...NOTHING, subject, text: forwardedText(message, words, when) };
  const who = message.addresses.from[0]?.name || message.addresses.from[0]?.address || message.from;
  const text = `\n\n${words.wrote(when, oneLine(who))}\n${quoted(message.text)}`;
  return { ...NOTHING, ...recipientsOf(mode, message, own), subject, text, answers: message.id };
}

function recipientsOf(mode: Mode, { addresses }: Message, own: readonly string[]) {
  const isOwn = ({ address }: Mailbox) => own.some((one) => isSameAddress(one, address));
  const list = (people: readonly Mailbox[]) =>
    withoutRepeats(people.filter(({ address }) => address.includes('@')).map(written));
  const answered = addresses.reply_to.length > 0 ? addresses.reply_to : addresses.from;
  // An answer to what one has sent goes on to those it was sent to.
  const isFromOwn = answered.every(isOwn);
  const to = list(isFromOwn ? addresses.to : answered);
  if (mode === 'reply') return { to };
  const others = isFromOwn ? [] : addresses.to.filter((person) => !isOwn(person));
  const all = withoutRepeats([...to, ...list(others)]);
  const cc = list(addresses.cc.filter((person) => !isOwn(person)));
  return { to: all, cc: cc.filter((person) => !all.some((one) => isSameAddress(one, person))) };
}

function subjectOf(mode: Mode, subject: string): string {
  const line = oneLine(subject);
  const has = (mode === 'forward' ? FORWARD : ANSWER).test(line);
  return (has ? line : `${mode === 'forward' ? 'Fwd' : 'Re'}: ${line}`).slice(0, MAX_SUBJECT);
}

function quoted(text: string): string {
  const lines = text.replace(/\s+$/, '').split('\n');
  return lines.map((line) => (line.startsWith('>') || line === '' ? `>${line}` : `> ${line}`)).join('\n');
}

function forwardedText({ subject, text, addresses }: Message, words: QuoteWords, when: string): string {
  const people = (list: readonly Mailbox[]) => list.map(written).join(', ');
  const head = [
    `---------- ${words.forwarded} ----------`,
    `${words.from}: ${people(addresses.from)}`,
    `${words.sent}: ${when}`,
    `${words.subject}: ${oneLine(subject)}`,
    `${words.to}: ${people(addresses.to)}`,
    ...(addresses.cc.length > 0 ? [`${words.cc}: ${people(addresses.cc)}`] : []),
  ];
  return `\n\n${head.join('\n')}\n\n${text}`;
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
