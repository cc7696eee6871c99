import type { Needs } from './content-store.ts';
import type { DecodedHeader, FilteredMessage } from './filtered-message.ts';
import type { Rule } from './schema.ts';

/** What of a stored message, beside its summary, decides whether a rule matches it. */
export function needsOf({ conditions }: Rule): Needs {
  return {
    record: conditions.some(({ field }) => field === 'to' || field === 'cc' || field === 'body'),
    headers: conditions.some(({ field }) => field.startsWith('header:')),
  };
}

/** What filters see of a message that is stored: the same as when it arrived. `summary` is JSON; "" stands for a record not needed. */
export function storedMessage(
  summary: string,
  record: string,
  headers: readonly DecodedHeader[],
): FilteredMessage {
  const { subject, from } = JSON.parse(summary);
  const { to = [], cc = [], text = '', html = '' } = JSON.parse(`{${record}}`);
  return { from: from === '' ? [] : [from], to, cc, subject, text, html, headers };
}
