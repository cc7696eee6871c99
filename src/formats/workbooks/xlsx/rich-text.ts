import { unescapeText } from './escapes.ts';

/** Gathers the text of a shared or an inline string: its runs together, without how they are to be read aloud. */
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
