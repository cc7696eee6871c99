import { MAX_SHARED_LENGTH, MAX_SHARED_TEXTS } from '../limits.ts';
import { UnreadableWorkbook } from '../workbook.ts';
import type { Archive } from './archive.ts';
import { RichText } from './rich-text.ts';
import { readWholeXml } from './xml.ts';

/** The texts that cells share, by their numbers. Throws UnreadableWorkbook when they are too many, or too long. */
export async function readSharedStrings(archive: Archive, part: string): Promise<readonly string[]> {
  const texts: string[] = [];
  const text = new RichText();
  let length = 0;
  await readWholeXml(part, archive.read(part), {
    open: (name) => (name === 'si' ? text.begin() : text.open(name)),
    text: (piece) => text.text(piece),
    close(name) {
      if (name !== 'si') return text.close(name);
      texts.push(text.end());
      length += texts.at(-1)?.length ?? 0;
      if (texts.length > MAX_SHARED_TEXTS || length > MAX_SHARED_LENGTH) {
        throw new UnreadableWorkbook('the texts that its cells share are too many, or too long');
      }
    },
  });
  return texts;
}
