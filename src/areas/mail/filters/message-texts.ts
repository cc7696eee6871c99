import { fold } from '../../../text/fold.ts';
import { type FilteredMessage, sizeOf } from './filtered-message.ts';
import { withoutTags } from './html-tags.ts';

/** Stands between texts that are folded and searched together; no text and no value contains it. */
const SEPARATOR = '\0';

/** The texts that one field of a condition stands for, case folded. */
export class FieldTexts {
  /** All of them, for what may stand anywhere. */
  readonly joined: string;
  readonly #parts: readonly string[];
  #forms: readonly string[] | undefined;

  /** `parts`: further forms that can be met whole; each stands within one of the texts. */
  constructor(texts: readonly string[], parts: readonly string[]) {
    this.joined = fold(texts.join(SEPARATOR));
    this.#parts = parts;
  }

  /** Each text, and each further form, by itself. */
  get forms(): readonly string[] {
    this.#forms ??= [...this.joined.split(SEPARATOR), ...fold(this.#parts.join(SEPARATOR)).split(SEPARATOR)];
    return this.#forms;
  }
}

/** The texts of a message, each folded once, when the first condition asks for it. */
export class MessageTexts {
  readonly #message: FilteredMessage;
  readonly #fields = new Map<string, FieldTexts>();

  constructor(message: FilteredMessage) {
    this.#message = message;
  }

  /** How many characters conditions can be about. */
  get size(): number {
    return sizeOf(this.#message);
  }

  /** The texts of a field of a condition, the name of a header in lower case. */
  of(field: string): FieldTexts {
    const found = this.#fields.get(field) ?? this.#read(field);
    this.#fields.set(field, found);
    return found;
  }

  #read(field: string): FieldTexts {
    switch (field) {
      case 'from':
      case 'to':
      case 'cc':
        return addressTexts(this.#message[field]);
      case 'subject':
        return new FieldTexts([this.#message.subject], []);
      case 'body':
        return bodyTexts(this.#message);
      default:
        return new FieldTexts(this.#headersNamed(field.slice('header:'.length)), []);
    }
  }

  #headersNamed(wanted: string): string[] {
    return this.#message.headers.filter(({ name }) => name === wanted).map(({ value }) => value);
  }
}

/** "from, to and cc conditions look at the decoded "Name <address>" and at the bare address". */
function addressTexts(formatted: readonly string[]): FieldTexts {
  return new FieldTexts(formatted, formatted.map(bareAddress));
}

function bareAddress(formatted: string): string {
  return /<([^<>]*)>$/.exec(formatted)?.[1] ?? formatted;
}

/** "body at the decoded text, of html without its tags". What stands around it, as the last line end, need not be met. */
function bodyTexts({ text, html }: FilteredMessage): FieldTexts {
  const texts = html === '' ? [text] : [text, withoutTags(html)];
  return new FieldTexts(
    texts,
    texts.map((shown) => shown.trim()),
  );
}
