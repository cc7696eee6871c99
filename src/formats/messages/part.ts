import { firstValue, type HeaderField } from './header-section.ts';
import { MAX_DEPTH, MAX_STRUCTURED } from './message.ts';
import {
  type Parameters,
  parameterText,
  parseStructured,
  type StructuredValue,
  stripComments,
} from './parameters.ts';

/** One MIME entity of a message: the message itself, a multipart, or an entity within one. */
export interface Part {
  fields: HeaderField[];
  /** Lower case type/subtype. */
  mediaType: string;
  parameters: Parameters;
  disposition: StructuredValue;
  /** The Content-Transfer-Encoding, lower case. */
  encoding: string;
  parent: Part | null;
  /** Position among its siblings. */
  index: number;
  depth: number;
  /** The delimiter between its parts, one character for each byte; null for a leaf. */
  boundary: string | null;
}

const MEDIA_TYPE = /^[!#$%&'*+.^_`{|}~\w-]+\/[!#$%&'*+.^_`{|}~\w-]+$/;

/** Makes the entity from its header section. */
export function makePart(fields: HeaderField[], parent: Part | null, index: number): Part {
  const type = structuredField(fields, 'content-type');
  const depth = parent ? parent.depth + 1 : 0;
  const boundary = type.parameters.get('boundary')?.raw.trimEnd() ?? '';
  const multipart = type.value.startsWith('multipart/');
  return {
    fields,
    mediaType: multipart && boundary === '' ? 'text/plain' : mediaTypeOf(type.value, parent),
    parameters: type.parameters,
    disposition: structuredField(fields, 'content-disposition'),
    encoding: encodingOf(fields),
    parent,
    index,
    depth,
    boundary: multipart && boundary !== '' && depth < MAX_DEPTH ? boundary : null,
  };
}

/** Reads only the start of an overlong field: ten thousand parameters would take a tenth of a second. */
function structuredField(fields: HeaderField[], name: string): StructuredValue {
  return parseStructured(firstValue(fields, name).slice(0, MAX_STRUCTURED));
}

function mediaTypeOf(value: string, parent: Part | null): string {
  if (MEDIA_TYPE.test(value)) return value;
  // RFC 2046 5.1.5: within a digest the default is a message.
  if (value === '' && parent?.mediaType === 'multipart/digest') return 'message/rfc822';
  // RFC 2045 5.2: absent or invalid means text/plain.
  return 'text/plain';
}

function encodingOf(fields: HeaderField[]): string {
  const value = stripComments(firstValue(fields, 'content-transfer-encoding'));
  return (/[\w-]+/.exec(value)?.[0] ?? '').toLowerCase();
}

/** RFC 2183 2.8: an unknown disposition counts as an attachment. */
export function isAttached(part: Part): boolean {
  return part.disposition.value !== '' && part.disposition.value !== 'inline';
}

/** File names are requested repeatedly, and some charsets decode slowly. */
const names = new WeakMap<Part, string>();

/** The decoded file name from the headers; "" without one. */
export function declaredFileName(part: Part): string {
  const known = names.get(part);
  if (known !== undefined) return known;
  const name =
    parameterText(part.disposition.parameters, 'filename') || parameterText(part.parameters, 'name');
  names.set(part, name);
  return name;
}

/** The charset label of an entity; "" without one. */
export function charsetOf(part: Part): string {
  return (
    part.parameters
      .get('charset')
      ?.raw.trim()
      .split(/[\s;,]/)[0] ?? ''
  );
}
