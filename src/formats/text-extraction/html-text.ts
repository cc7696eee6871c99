import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import type { ExtractedTexts } from './extracted-texts.ts';

/** Elements whose content is not shown. */
const HIDDEN = new Set(['script', 'style', 'template', 'noembed', 'noframes']);

/** Elements within a line; all others separate what stands before and behind them. */
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** XHTML ends elements such as scripts within their own tag, which is nothing in HTML. */
const XHTML = /^\uFEFF?\s*<(?:\?xml|[^<>]*\bxhtml\b)/i;

/** Characters between checks of the time. */
const CHECKED_EVERY = 1 << 16;

/**
 * Adds the text of an HTML document as one text: without tags, comments, scripts and styles. Reads tokens and no tree,
 * so any nesting takes linear time. Throws LimitReached.
 */
export function addHtmlText(html: string, texts: ExtractedTexts): void {
  const options = { decodeEntities: true, recognizeSelfClosing: XHTML.test(html) };
  const tokenizer = new Tokenizer(options, new TextTokens(html, texts));
  for (let start = 0; start < html.length; start += CHECKED_EVERY) {
    texts.checkTime();
    tokenizer.write(html.slice(start, start + CHECKED_EVERY));
  }
  tokenizer.end();
  texts.endText();
}

class TextTokens implements TokenizerCallbacks {
  readonly #html: string;
  readonly #texts: ExtractedTexts;
  /** The element whose content is left out now, and how many of its name are open. */
  #hidden: string | undefined;
  #depth = 0;
  #name = '';

  constructor(html: string, texts: ExtractedTexts) {
    this.#html = html;
    this.#texts = texts;
  }

  ontext(start: number, end: number): void {
    if (this.#hidden === undefined) this.#texts.append(this.#html.slice(start, end));
  }

  ontextentity(codepoint: number): void {
    if (this.#hidden === undefined) this.#texts.append(String.fromCodePoint(codepoint));
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    if (this.#hidden === this.#name) this.#depth++;
    else if (this.#hidden === undefined && HIDDEN.has(this.#name)) {
      this.#hidden = this.#name;
      this.#depth = 1;
    }
    this.#separate(this.#name);
  }

  onclosetag(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    if (name === this.#hidden && --this.#depth === 0) this.#hidden = undefined;
    this.#separate(name);
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  onselfclosingtag(): void {
    if (this.#name === this.#hidden && --this.#depth === 0) this.#hidden = undefined;
  }

  onattribdata(): void {}
  onattribentity(): void {}
  onattribend(): void {}
  onattribname(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}

  #separate(name: string): void {
    if (this.#hidden === undefined && !INLINE.has(name)) this.#texts.append('\n');
  }
}
