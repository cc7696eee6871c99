/** What a TYPE says that is no label: which is preferred, and what the address or number can be used for. */
const NO_LABELS = new Set(['pref', 'internet', 'voice', 'text', 'video', 'msg']);

/** Apple marks the labels that it translates: "_$!<Home>!$_". */
const TRANSLATED = /^_\$!<(.*)>!\$_$/s;

/** How a label stands in a card: as types, or as text of its own beside the property (X-ABLabel). */
export type WrittenLabel = { types: string[] } | { text: string };

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
