/**
 * The input that shows a text as it is. Only one that begins with "=" would be taken for a formula: it becomes the
 * formula of that text, ="=x". "=" alone is text in a cell too.
 */
export function inputOfText(text: string): string {
  if (!text.startsWith('=') || text === '=') return text;
  return `="${text.replaceAll('"', '""')}"`;
}

const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;

/** The text that inputOfText made a formula of; undefined of any other input. */
export function textOfInput(input: string): string | undefined {
  if (!input.startsWith('=') || input === '=') return input;
  const text = TEXT_FORMULA.exec(input)?.[1]?.replaceAll('""', '"');
  return text !== undefined && inputOfText(text) === input ? text : undefined;
}
