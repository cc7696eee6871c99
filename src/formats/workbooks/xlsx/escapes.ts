/** What XML cannot hold stands in texts of workbooks as _xHHHH_, and so does an underscore before what looks like that. */
const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;

/** A text as a workbook means it (ECMA-376, 22.9.2.19, ST_Xstring). */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The name of a sheet, or a formula that may name one: half a surrogate pair, which no request can name, is replaced. */
export function unescapeName(text: string): string {
  return unescapeText(text).toWellFormed();
}

const TO_BE_ESCAPED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold
  /[\0-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|_(?=x[0-9A-Fa-f]{4}_)/g;
const MARKUP = /[&<>]/g;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text as the content of an element: every character comes back as it is. */
export function escapeText(text: string): string {
  return text
    .replace(TO_BE_ESCAPED, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(MARKUP, (char) => ENTITIES[char] ?? char);
}

/** A text as the value of an attribute in double quotes. */
export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;').replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
}
