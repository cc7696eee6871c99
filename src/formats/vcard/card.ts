/** What a TYPE says that is no label: which is preferred, and what the address or number can be used for. */
const NO_LABELS = new Set(['pref', 'internet', 'voice', 'text', 'video', 'msg']);

/** Apple marks the labels that it translates: "_$!<Home>!$_". */
const TRANSLATED = /^_\$!<(.*)>!\$_$/s;

/** How a label stands in a card: as types, or as text of its own beside the property (X-ABLabel). */
type WrittenLabel = { types: string[] } | { text: string };

/** The label that the TYPE values of a property make, such as "work" or "home fax"; "" for none. */
export function labelOfTypes(types: readonly string[]): string {
  const words = types.map((type) => type.trim().toLowerCase());
  return [...new Set(words)].filter((word) => word !== '' && !NO_LABELS.has(word)).join(' ');
}

/** The label that the text of an X-ABLabel makes. */
export function labelOfText(text: string): string {
  const inner = TRANSLATED.exec(text)?.[1];
  if (inner === undefined) return text;
  return /^[A-Za-z]+$/.test(inner) ? inner.toLowerCase() : inner;
}

/**
 * "Labels of emails and phones survive vCard export and import exactly": as types only what types are read as, else as
 * text. What looks like one of Apple's marks gets another around it.
 */
export function writeLabel(label: string): WrittenLabel {
  const types = label === '' ? [] : label.split(' ');
  if (types.every((type) => /^[a-z0-9-]+$/.test(type)) && labelOfTypes(types) === label) return { types };
  return { text: TRANSLATED.test(label) ? `_$!<${label}>!$_` : label };
}

/** RFC 6350, 3.4 and 4: text as it stands in a value, line breaks being "\n". */
export function escapeText(text: string): string {
  return text.replace(/[\\,;]/g, '\\$&').replaceAll('\n', '\\n');
}

/** The text that a value stands for. A backslash before anything that is never escaped is a backslash. */
export function unescapeText(value: string): string {
  return value
    .replace(/\r\n?/g, '\n')
    .replace(/\\([\\,;:nN])/g, (_, escaped: string) => (escaped.toLowerCase() === 'n' ? '\n' : escaped));
}

/** The parts of a structured value such as N and ORG, unescaped. */
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

/** An e-mail address or a phone number, with its label such as work or home; "" when it has none. */
export interface LabelledValue {
  value: string;
  label: string;
}

/** What this program keeps of a vCard; "" and empty lists where the card says nothing. */
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

/** A card of a file, or why it cannot be read; `index` counts the cards of the file from 0. */
export type ReadCard = { index: number; card: Card } | { index: number; problem: string };
