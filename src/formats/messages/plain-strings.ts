/** A string that every database and JSON reader takes: no NUL, no lone surrogate. */
export function storable(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '') : text).toWellFormed();
}

/** A header's text on one line: control characters count as spaces. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return storable(text.replace(/[\u0000-\u001f\u007f]+/g, ' ')).trim();
}

/**
 * Without blanks and line ends at both ends. For strings of one character for each byte, where trim() would
 * take 0xA0, the second byte of "à", for a blank.
 */
export function trimBlanks(bytes: string): string {
  let start = 0;
  let end = bytes.length;
  while (start < end && isBlank(bytes.charCodeAt(start))) start++;
  while (end > start && isBlank(bytes.charCodeAt(end - 1))) end--;
  return bytes.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** The first `limit` UTF-16 units, not splitting a character. */
export function cutAt(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const splits = isHighSurrogate(text.charCodeAt(limit - 1));
  return text.slice(0, splits ? limit - 1 : limit);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
