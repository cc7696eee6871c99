import { MAX_TEXT } from '../../conversions.ts';
import { ERROR } from '../../values.ts';
import { define } from '../define.ts';
import { limited } from './limit.ts';

export const LEN = define('LEN', ['text'], ([text]) => text.length);

export const LEFT = define(
  'LEFT',
  ['text', 'number'],
  ([text, count = 1]) => (count < 0 ? ERROR['#VALUE!'] : text.slice(0, Math.trunc(count))),
  { required: 1 },
);

export const RIGHT = define(
  'RIGHT',
  ['text', 'number'],
  ([text, count = 1]) => {
    if (count < 0) return ERROR['#VALUE!'];
    return text.slice(Math.max(text.length - Math.trunc(count), 0));
  },
  { required: 1 },
);

export const MID = define('MID', ['text', 'number', 'number'], ([text, start, count]) => {
  if (start < 1 || count < 0) return ERROR['#VALUE!'];
  const first = Math.trunc(start) - 1;
  return text.slice(first, first + Math.trunc(count));
});

export const REPLACE = define(
  'REPLACE',
  ['text', 'number', 'number', 'text'],
  ([text, start, count, replacement]) => {
    if (start < 1 || count < 0) return ERROR['#VALUE!'];
    const first = Math.trunc(start) - 1;
    return limited(text.slice(0, first) + replacement + text.slice(first + Math.trunc(count)));
  },
);

export const REPT = define('REPT', ['text', 'number'], ([text, count]) => {
  const times = Math.trunc(count);
  if (times < 0 || times * text.length > MAX_TEXT) return ERROR['#VALUE!'];
  return text === '' ? '' : text.repeat(times);
});
