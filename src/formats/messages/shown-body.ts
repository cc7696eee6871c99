import { MAX_SHOWN_BODY } from './limits.ts';

/** What people see of a message. */
export interface ShownBody {
  text: string;
  html: string;
  truncated: boolean;
}

export function isTooLong(text: string): boolean {
  return text.length > MAX_SHOWN_BODY;
}

/** Texts below each other, each beginning on a line of its own; empty ones are left out. */
export function joinText(texts: string[]): string {
  return texts
    .filter((text, index) => text.trim() !== '' || (index === 0 && texts.length === 1))
    .map((text, index, all) => (index < all.length - 1 && !text.endsWith('\n') ? `${text}\n` : text))
    .join('');
}
