import type { Card, LabelledValue } from './card.ts';
import { writeLabel } from './labels.ts';
import { escapeText } from './text-value.ts';

/** RFC 6350, 3.2: "Content lines SHOULD be folded to a maximum width of 75 octets, excluding line breaks." */
const WIDTH = 75;

/** The card as vCard 4.0; reading it gives an equal card. */
export function writeCard(card: Card): string {
  const lines = ['BEGIN:VCARD', 'VERSION:4.0'];
  const add = (name: string, text: string) => text !== '' && lines.push(`${name}:${escapeText(text)}`);
  add('UID', card.uid);
  add('FN', card.name);
  if (card.familyName || card.givenName) {
    lines.push(`N:${escapeText(card.familyName)};${escapeText(card.givenName)};;;`);
  }
  lines.push(...labelledLines(card));
  add('ORG', card.organization);
  add('TITLE', card.title);
  add('NOTE', card.notes);
  lines.push('END:VCARD');
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function labelledLines({ emails, phones }: Card): string[] {
  const named = [
    ...emails.map((email, i) => ({ name: 'EMAIL', isFirst: i === 0 && emails.length > 1, ...email })),
    ...phones.map((phone, i) => ({ name: 'TEL', isFirst: i === 0 && phones.length > 1, ...phone })),
  ];
  return named.flatMap((property, i) => labelledLine(property, `item${i + 1}`));
}

/** The order is that of preference, so it is enough to mark the first. */
function labelledLine(
  { name, isFirst, value, label }: LabelledValue & { name: string; isFirst: boolean },
  group: string,
): string[] {
  const written = writeLabel(label);
  const preference = isFirst ? ';PREF=1' : '';
  const text = escapeText(value);
  if ('text' in written)
    return [`${group}.${name}${preference}:${text}`, `${group}.X-ABLabel:${escapeText(written.text)}`];
  const type = written.types.length > 0 ? `;TYPE=${written.types.join(',')}` : '';
  return [`${name}${type}${preference}:${text}`];
}

/** Folds between characters, not only between octets, for the sake of readers that decode before they unfold. */
function fold(line: string): string {
  if (Buffer.byteLength(line) <= WIDTH) return line;
  const folded: string[] = [];
  let start = 0;
  let bytes = 0;
  let at = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > WIDTH) {
      folded.push(line.slice(start, at));
      start = at;
      // The space that begins a continuation counts.
      bytes = 1;
    }
    bytes += size;
    at += character.length;
  }
  return [...folded, line.slice(start)].join('\r\n ');
}
