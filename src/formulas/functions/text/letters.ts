import { define } from '../define.ts';

export const UPPER = define('UPPER', ['text'], ([text]) => recased(text, (letter) => letter.toUpperCase()));

export const LOWER = define('LOWER', ['text'], ([text]) => recased(text, (letter) => letter.toLowerCase()));

export const PROPER = define('PROPER', ['text'], ([text]) => {
  let inWord = false;
  return recased(text, (character) => {
    const cased = inWord ? character.toLowerCase() : character.toUpperCase();
    inWord = /\p{L}/u.test(character);
    return cased;
  });
});

/** Changes letters one by one; one that would become several, as ß, stays as it is. */
function recased(text: string, change: (character: string) => string): string {
  return Array.from(text, (character) => {
    const cased = change(character);
    return cased.length === character.length ? cased : character;
  }).join('');
}

export const TRIM = define('TRIM', ['text'], ([text]) => text.split(' ').filter(Boolean).join(' '));

/** Removes the control characters of ASCII. */
export const CLEAN = define('CLEAN', ['text'], ([text]) =>
  Array.from(text)
    .filter((character) => character >= ' ')
    .join(''),
);

export const T = define('T', ['scalar'], ([value]) => (typeof value === 'string' ? value : ''));
