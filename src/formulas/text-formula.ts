/**
 * The input that shows a text. A text that starts with "=" would be a formula: it becomes a formula for that text,
 * ="=x". "=" alone is text in a cell.
 */
export function inputOfText(text: string): string {
  if (!text.startsWith('=') || text === '=') return text;
  return `="${text.replaceAll('"', '""')}"`;
}

const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;

/** The inverse of inputOfText; undefined for any other input. */
export function textOfInput(input: string): string | undefined {
  if (!input.startsWith('=') || input === '=') return input;
  if (!input.startsWith('="=')) return undefined;
  const text = TEXT_FORMULA.exec(input)?.[1]?.replaceAll('""', '"');
  return text !== undefined && inputOfText(text) === input ? text : undefined;
}
