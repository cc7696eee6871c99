/** TYPE values that are no labels: preference and capabilities. */
const NO_LABELS = new Set(['pref', 'internet', 'voice', 'text', 'video', 'msg']);

/** Apple's format of labels that its software translates: "_$!<Home>!$_". */
const TRANSLATED = /^_\$!<(.*)>!\$_$/s;

/** The form of a label in a card: as types, or as text in a property of its own (X-ABLabel). */
type WrittenLabel = { types: string[] } | { text: string };

/** The label from the TYPE values of a property, such as "work" or "home fax"; "" for none. */
export function labelOfTypes(types: readonly string[]): string {
  const words = types.map((type) => type.trim().toLowerCase());
  return [...new Set(words)].filter((word) => word !== '' && !NO_LABELS.has(word)).join(' ');
}

/** The label from the text of an X-ABLabel. */
export function labelOfText(text: string): string {
  const inner = TRANSLATED.exec(text)?.[1];
  if (inner === undefined) return text;
  return /^[A-Za-z]+$/.test(inner) ? inner.toLowerCase() : inner;
}

/**
 * "Labels of emails and phones survive vCard export and import exactly": writes types only if reading them
 * restores the label, else text. A label in Apple's format is wrapped once more.
 */
export function writeLabel(label: string): WrittenLabel {
  const types = label === '' ? [] : label.split(' ');
  if (types.every((type) => /^[a-z0-9-]+$/.test(type)) && labelOfTypes(types) === label) return { types };
  return { text: TRANSLATED.test(label) ? `_$!<${label}>!$_` : label };
}

/** RFC 6350 3.4 and 4: escapes the text for a value; a line break becomes "\n". */
export function escapeText(text: string): string {
  return text.replace(/[\\,;]/g, '\\$&').replaceAll('\n', '\\n');
}

/** Unescapes a value. A backslash before a character that needs no escape is a plain backslash. */
export function unescapeText(value: string): string {
  return value
    .replace(/\r\n?/g, '\n')
    .replace(/\\([\\,;:nN])/g, (_, escaped: string) => (escaped.toLowerCase() === 'n' ? '\n' : escaped));
}

/** The components of a structured value such as N and ORG, unescaped. */
export function components(value: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < value.length; i++) {
    if (value[i] === '\\') i++;
    else if (value[i] === ';') {
      parts.push(value.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, value.slice(start)].map(unescapeText);
}

/** An e-mail address or a phone number, with a label such as work or home; "" without a label. */
export interface LabelledValue {
  value: string;
  label: string;
}

/** The stored content of a vCard; absent properties are "" or empty lists. */
export interface Card {
  uid: string;
  name: string;
  givenName: string;
  familyName: string;
  organization: string;
  title: string;
  notes: string;
  /** The preferred one first. */
  emails: LabelledValue[];
  /** The preferred one first. */
  phones: LabelledValue[];
}

/** A card of a file, or the reason why it is unreadable; `index` counts the cards of the file from 0. */
export type ReadCard = { index: number; card: Card } | { index: number; problem: string };
