import { MAX_SHARED_LENGTH, MAX_SHARED_TEXTS, UnreadableWorkbook } from '../workbook.ts';
import type { Archive } from './archive.ts';
import { readWholeXml, unescapeText } from './xml.ts';

/** Collects the text of a shared or inline string: its runs joined, without phonetic text. */
export class RichText {
  #text = '';
  #isText = false;
  #isPhonetic = false;

  begin(): void {
    this.#text = '';
    this.#isText = false;
    this.#isPhonetic = false;
  }

  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true;
    else if (name === 't') this.#isText = !this.#isPhonetic;
  }

  text(piece: string): void {
    if (this.#isText) this.#text += piece;
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false;
    else if (name === 't') this.#isText = false;
  }

  end(): string {
    return unescapeText(this.#text);
  }
}

/** The shared strings by index. Throws UnreadableWorkbook when they are too many or too long. */
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
