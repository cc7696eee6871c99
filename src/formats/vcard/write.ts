import { foldLine } from '../content-lines.ts';
import { type Card, escapeText, type LabelledValue, writeLabel } from './card.ts';

/** Formats the card as vCard 4.0; readCards restores an equal card. */
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
  return lines.map((line) => `${foldLine(line)}\r\n`).join('');
}

function labelledLines({ emails, phones }: Card): string[] {
  const named = [
    ...emails.map((email, i) => ({ name: 'EMAIL', isFirst: i === 0 && emails.length > 1, ...email })),
    ...phones.map((phone, i) => ({ name: 'TEL', isFirst: i === 0 && phones.length > 1, ...phone })),
  ];
  return named.flatMap((property, i) => labelledLine(property, `item${i + 1}`));
}

/** The values are in order of preference, so only the first gets a PREF. */
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
