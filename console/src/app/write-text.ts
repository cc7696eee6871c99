import type { Call } from '../../../client/src/requests.ts';

/** What a write says, for people: its members by name, one a line; long texts as they are. */
export function textOf({ body, content }: Call): string {
  if (typeof content === 'string') return content;
  return body === undefined ? '' : linesOf(body).join('\n');
}

function linesOf(body: object): string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const text = valueText(value);
    return text === '' ? [] : [text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`];
  });
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(valueText).filter(Boolean).join(', ');
  if (typeof value === 'object') return Object.values(value).map(valueText).filter(Boolean).join(' ');
  return String(value);
}
