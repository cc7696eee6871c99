import { useSyncExternalStore } from 'react';

/** The languages of the console. A new one needs a value in each catalogue; the type check names those that lack it. */
export type Language = 'en' | 'de';

const STORED_UNDER = 'atrium-language';
const listeners = new Set<() => void>();

/** A text, or a function that puts values into one. */
type Entry = string | ((...values: never[]) => string);

/** The texts of one page or part in each language. */
export type Catalogue<T extends Record<string, Entry>> = { en: T; de: T };

/** Checks at compile time that each language has the same texts. */
export function catalogue<T extends Record<string, Entry>>(texts: {
  en: T;
  de: { [K in keyof T]: T[K] extends string ? string : T[K] };
}): Catalogue<T> {
  return texts as Catalogue<T>;
}

let current = initialLanguage();
document.documentElement.lang = current;

export function language(): Language {
  return current;
}

export function setLanguage(chosen: Language): void {
  localStorage.setItem(STORED_UNDER, chosen);
  current = chosen;
  document.documentElement.lang = chosen;
  for (const listener of listeners) listener();
}

/** The texts of a catalogue in the language of the page. */
export function useTexts<T extends Record<string, Entry>>(texts: Catalogue<T>): T {
  return texts[useLanguage()];
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, language);
}

/** The person's own variety of the language of the page, such as "en-GB": dates and numbers are written in it. */
export function localeOf(language: Language, preferred = navigator.languages): string {
  return preferred.find((tag) => tag.split('-')[0]?.toLowerCase() === language && isTag(tag)) ?? language;
}

/** Whether dates can be written in it: where the system has the locale C, Chromium names "en-US@posix". */
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** A number for people, such as "1,234". */
export function numberText(n: number): string {
  return n.toLocaleString(localeOf(current));
}

/** The form of a text for a number, such as "1 message" and "2 messages". */
export function plural(n: number, one: string, other: string): string {
  return n === 1 ? one : other.replace('#', numberText(n));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function initialLanguage(): Language {
  const stored = localStorage.getItem(STORED_UNDER);
  if (stored === 'en' || stored === 'de') return stored;
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
}
