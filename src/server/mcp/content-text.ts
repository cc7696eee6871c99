import { Readable } from 'node:stream';
import type { Content } from '../../contract/answers.ts';
import { ApiError } from '../../contract/errors.ts';
import { extractText, extractWrittenText } from '../../formats/text-extraction/extraction.ts';
import { kindOf } from '../../formats/text-extraction/kinds.ts';

/** What an agent reads of bytes. */
export interface ContentText {
  media_type: string;
  text: string;
  /** Why the rest of the text is missing. */
  cut?: string;
}

/**
 * The text of bytes: of what is written as text as it is, of PDF, Office and HTML what can be read in it. Rejects with
 * ApiError unreadable_file where there is no text, unavailable where the bytes cannot be read now.
 */
export async function textOf(content: Content): Promise<ContentText> {
  const { mediaType, size = 0 } = content;
  const kind = kindOf(mediaType);
  // Nothing has no type, and is a text.
  const isWritten = kind === 'plain' || kind === 'json' || content.size === 0;
  const found = isWritten
    ? await extractWrittenText(() => opened(content), size)
    : await extractText(() => opened(content), mediaType, size);
  if (found && 'texts' in found) {
    const { texts, cut } = found;
    return { media_type: mediaType, text: texts.join('\n\n'), ...(cut === undefined ? {} : { cut }) };
  }
  await content.discard();
  if (found?.isTemporary)
    throw new ApiError('unavailable', 'The bytes of the file cannot be read now. Try again in a moment.');
  const why = found ? `it is ${found.unreadable}` : `it is of the type ${mediaType}`;
  throw new ApiError('unreadable_file', `The file has no text that can be read: ${why}.`, {
    media_type: mediaType,
  });
}

async function opened(content: Content): Promise<Readable> {
  const bytes = await content.open();
  return bytes instanceof Readable ? bytes : Readable.from([bytes]);
}
