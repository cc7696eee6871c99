import { ERROR } from '../values.ts';
import { define, type FormulaFunction } from './function.ts';

const ENCODEURL = define('ENCODEURL', ['text'], ([text]) =>
  // What RFC 3986 reserves or lets through is escaped too, but for the unreserved marks.
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  ),
);

/** Nothing is fetched from elsewhere for a formula: it would be a way into the network of the server. */
const WEBSERVICE = define('WEBSERVICE', ['text'], () => ERROR['#VALUE!']);

/** Without WEBSERVICE there is no document to ask; an XML reader for what a cell holds would be one more door. */
const FILTERXML = define('FILTERXML', ['text', 'text'], () => ERROR['#VALUE!']);

export const WEB_FUNCTIONS: readonly FormulaFunction[] = [ENCODEURL, FILTERXML, WEBSERVICE];
