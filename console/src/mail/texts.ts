import { catalogue } from '../app/texts.ts';
import { de } from './texts.de.ts';
import { en } from './texts.en.ts';

/** The texts of the mail page. */
export const mailTexts = catalogue({ en, de });

export type MailTexts = typeof mailTexts.en;
