import { plainAddress, readFormatted } from '../../../formats/messages/addresses.ts';
import { fold } from '../../../text/fold.ts';
import { type FilteredMessage, sizeOf } from './filtered-message.ts';
import { withoutTags } from './html-tags.ts';

/** Separates texts that are folded and searched together; no text and no value contains it. */
const SEPARATOR = '\0';

/** The case-folded texts that one condition field refers to. */
export class FieldTexts {
  /** All texts joined, for "contains". */
  readonly joined: string;
  readonly #furtherForms: readonly string[];
  #forms: readonly string[] | undefined;

  /** `furtherForms`: substrings of the texts that "equals", "starts_with" and "ends_with" examine as well. */
  constructor(texts: readonly string[], furtherForms: readonly string[]) {
    this.joined = fold(texts.join(SEPARATOR));
    this.#furtherForms = furtherForms;
  }

  /** Each text and each further form separately. */
  get forms(): readonly string[] {
    this.#forms ??= [
      ...this.joined.split(SEPARATOR),
      ...fold(this.#furtherForms.join(SEPARATOR)).split(SEPARATOR),
    ];
    return this.#forms;
  }
}

/** The texts of a message, each folded once, on first use. */
export class MessageTexts {
  readonly #message: FilteredMessage;
  readonly #fields = new Map<string, FieldTexts>();

  constructor(message: FilteredMessage) {
    this.#message = message;
  }

  /** The number of characters that conditions can examine. */
  get size(): number {
    return sizeOf(this.#message);
  }

  /** Bytes of the whole message. */
  get bytes(): number {
    return this.#message.bytes;
  }

  get hasAttachments(): boolean {
    return this.#message.hasAttachments;
  }

  /** The texts of a condition field; the name of a header is in lower case. */
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
      case 'list':
        return listTexts(this.#headersNamed('list-id'));
      default:
        return new FieldTexts(this.#headersNamed(field.slice('header:'.length)), []);
    }
  }

  #headersNamed(wanted: string): string[] {
    return this.#message.headers.filter(({ name }) => name === wanted).map(({ value }) => value);
  }
}

/**
 * "from, to and cc conditions look at the decoded "Name <address>" and at the bare address": with the name as people
 * read it, and as the record shows it.
 */
function addressTexts(formatted: readonly string[]): FieldTexts {
  const addresses = formatted.map(readFormatted);
  const texts = new Set([...addresses.map(plainAddress), ...formatted]);
  return new FieldTexts(
    [...texts],
    addresses.map(({ name, address }) => address || name),
  );
}

/** RFC 2919: a List-Id is a phrase and an id in brackets; the bare id is compared, too. */
function listTexts(values: readonly string[]): FieldTexts {
  return new FieldTexts(
    values,
    values.map((value) => /<([^<>]*)>/.exec(value)?.[1]?.trim() ?? value),
  );
}

/** "body at the decoded text, of html without its tags". The further forms omit surrounding blanks and line ends. */
function bodyTexts({ text, html }: FilteredMessage): FieldTexts {
  const texts = html === '' ? [text] : [text, withoutTags(html)];
  return new FieldTexts(
    texts,
    texts.map((shown) => shown.trim()),
  );
}
