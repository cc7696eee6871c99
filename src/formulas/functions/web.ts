import { ERROR } from '../values.ts';
import { define, type FormulaFunction } from './function.ts';

const ENCODEURL = define('ENCODEURL', ['text'], ([text]) =>
  // Escapes all characters except the unreserved ones of RFC 3986.
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  ),
);

/** Formulas never fetch anything: it would open the server's network to attacks. */
const WEBSERVICE = define('WEBSERVICE', ['text'], () => ERROR['#VALUE!']);

/** Without WEBSERVICE there is no document to query; an XML parser for cell content would only add attack surface. */
const FILTERXML = define('FILTERXML', ['text', 'text'], () => ERROR['#VALUE!']);

export const WEB_FUNCTIONS: readonly FormulaFunction[] = [ENCODEURL, FILTERXML, WEBSERVICE];
