import { decodeHeader } from './encoded-words.ts';
import { firstValue, HeaderSection } from './header-section.ts';
import { cutAt } from './message.ts';
import { declaredFileName, type Part } from './part.ts';

const MAX_NAME = 255;

/** File name extensions for entities without a name. */
const ENDINGS: Record<string, string> = {
  'application/ics': 'ics',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/pgp-signature': 'asc',
  'application/pkcs7-mime': 'p7m',
  'application/pkcs7-signature': 'p7s',
  'application/xml': 'xml',
  'application/zip': 'zip',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/jpg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tiff',
  'image/webp': 'webp',
  'message/delivery-status': 'txt',
  'text/calendar': 'ics',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/rfc822-headers': 'txt',
  'text/vcard': 'vcf',
  'text/x-vcard': 'vcf',
};

/** The bytes of a nested message that are searched for its subject. */
export const SUBJECT_WINDOW = 64 * 1024;

/**
 * The name of an attachment in the list: 1 to 255 characters, no path.
 * @param start the first decoded bytes of the content; used for nested messages only
 */
export function attachmentName(part: Part, position: number, start: Uint8Array): string {
  const named = safeName(declaredFileName(part));
  if (named !== '') return named;
  if (isMessage(part)) return `${cutAt(safeName(nestedSubject(start)), MAX_NAME - 4) || 'message'}.eml`;
  const ending = ENDINGS[part.mediaType];
  return `attachment-${position + 1}${ending ? `.${ending}` : ''}`;
}

/** Whether an entity is declared to be a message. */
export function isMessage(part: Part): boolean {
  return part.mediaType === 'message/rfc822' || part.mediaType === 'message/global';
}

/** RFC 2183 2.3: a receiver must not use directories that a sender names. */
function safeName(name: string): string {
  const last = name.split(/[/\\]/).findLast((piece) => piece.trim() !== '') ?? '';
  return cutAt(last.trim().replace(/^\.{1,2}$/, ''), MAX_NAME);
}

function nestedSubject(start: Uint8Array): string {
  const section = new HeaderSection();
  for (const line of Buffer.from(start)
    .toString('latin1')
    .match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (section.push(line) !== null) break;
  }
  section.end();
  // A slash in a subject separates no directory.
  return decodeHeader(firstValue(section.fields, 'subject')).replace(/[/\\]/g, '-');
}
