import { isTurnOver, nextTurn } from '../../turns/next-turn.ts';
import {
  LineReader,
  longestLine,
  type Property,
  parameterValues,
  propertyName,
  readProperty,
} from '../content-lines.ts';
import {
  type Card,
  components,
  type LabelledValue,
  labelOfText,
  labelOfTypes,
  type ReadCard,
  unescapeText,
} from './card.ts';

/** The properties that a card is read from; all others say what there is no place for. */
const NEEDED = new Set([
  'VERSION',
  'KIND',
  'AGENT',
  'X-ADDRESSBOOKSERVER-KIND',
  'UID',
  'FN',
  'N',
  'ORG',
  'TITLE',
  'NOTE',
  'EMAIL',
  'TEL',
  'X-ABLABEL',
]);

/** RFC 6350, 5.3: 1 is the most preferred; what has no PREF comes last. */
const NOT_PREFERRED = 101;

/** What the properties of one card say together. */
function readCard(properties: readonly Property[]): Card {
  const labels = labelsByGroup(properties);
  const called = (name: string) => byPreference(properties.filter((property) => property.name === name));
  const [familyName = '', givenName = ''] = components(called('N')[0]?.value ?? '');
  return {
    uid: unescapeText(first(called('UID'))).trim(),
    name: unescapeText(first(called('FN'))),
    givenName,
    familyName,
    // RFC 6350, 6.6.4: the name of the organization, then its units.
    organization: components(first(called('ORG'))).find((part) => part !== '') ?? '',
    title: unescapeText(first(called('TITLE'))),
    notes: called('NOTE')
      .map(({ value }) => unescapeText(value))
      .join('\n'),
    emails: labelled(called('EMAIL'), labels, 'mailto:'),
    phones: labelled(called('TEL'), labels, 'tel:'),
  };
}

/** Whether the card describes a group of others (RFC 6350, 6.1.4, and Apple's way of before). */
function isGroup(properties: readonly Property[]): boolean {
  return properties.some(
    ({ name, value }) =>
      (name === 'KIND' || name === 'X-ADDRESSBOOKSERVER-KIND') && value.trim().toLowerCase() === 'group',
  );
}

function first(properties: readonly Property[]): string {
  return properties.find(({ value }) => value !== '')?.value ?? '';
}

function byPreference(properties: readonly Property[]): Property[] {
  return properties
    .map((property) => ({ property, rank: preference(property) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ property }) => property);
}

function preference(property: Property): number {
  const stated = Number(parameterValues(property, 'PREF')[0]);
  if (stated >= 1 && stated <= 100) return stated;
  const types = parameterValues(property, 'TYPE');
  return types.some((type) => type.trim().toLowerCase() === 'pref') ? 1 : NOT_PREFERRED;
}

function labelled(
  found: readonly Property[],
  labels: ReadonlyMap<string, string>,
  scheme: string,
): LabelledValue[] {
  return found
    .map((property) => ({ value: statedValue(property, scheme), label: labelOf(property, labels) }))
    .filter(({ value }) => value !== '');
}

function statedValue(property: Property, scheme: string): string {
  const isUri = parameterValues(property, 'VALUE').some((kind) => kind.toLowerCase() === 'uri');
  if (!isUri) return unescapeText(property.value);
  const uri = property.value.trim();
  return uri.toLowerCase().startsWith(scheme) ? percentDecoded(uri.slice(scheme.length)) : uri;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function labelOf(property: Property, labels: ReadonlyMap<string, string>): string {
  const beside = labels.get(property.group);
  return beside === undefined ? labelOfTypes(parameterValues(property, 'TYPE')) : labelOfText(beside);
}

/** The first text that stands as the label beside what else is in a group. */
function labelsByGroup(properties: readonly Property[]): Map<string, string> {
  const labels = new Map<string, string>();
  for (const { name, group, value } of properties) {
    if (name === 'X-ABLABEL' && group !== '' && !labels.has(group)) labels.set(group, unescapeText(value));
  }
  return labels;
}

/**
 * The cards of a file (vCard 3.0 and 4.0, and of 2.1 what these share) as they arrive. Lines around cards mean
 * nothing, but a file that has some and no card is one card that cannot be read.
 */
export async function* readCards(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadCard> {
  const reader = new CardReader();
  const lines = new LineReader();
  const readInTurns = async function* (some: Iterable<string>): AsyncGenerator<ReadCard> {
    for (const line of some) {
      if (isTurnOver()) await nextTurn();
      yield* reader.read(line);
    }
  };
  for await (const bytes of asUtf8(chunks)) yield* readInTurns(lines.read(bytes));
  yield* readInTurns(lines.end());
  yield* reader.end();
}

const UNENDED = 'It has no END:VCARD.';
const NO_CARD = 'This is no vCard: nothing begins with BEGIN:VCARD.';

/** A card of which more is to come. */
interface OpenCard {
  properties: Property[];
  bytes: number;
  problem: string | undefined;
  /** Cards within it: vCard 2.1 and 3.0 may hold that of an AGENT. */
  within: number;
}

class CardReader {
  #index = 0;
  #card: OpenCard | undefined;
  #sawOtherLines = false;

  *read(line: string): Generator<ReadCard> {
    const mark = /^(BEGIN|END)[ \t]*:[ \t]*VCARD[ \t]*$/i.exec(line)?.[1]?.toUpperCase();
    if (mark === 'BEGIN') yield* this.#begin();
    else if (mark === 'END') yield* this.#endOne();
    else if (!this.#card) this.#sawOtherLines ||= line.trim() !== '';
    else if (this.#card.within === 0) take(this.#card, line);
  }

  *end(): Generator<ReadCard> {
    if (this.#card) yield this.#finish(UNENDED);
    else if (this.#index === 0 && this.#sawOtherLines) yield this.#finish(NO_CARD);
  }

  *#begin(): Generator<ReadCard> {
    if (this.#card && isAgent(this.#card)) {
      this.#card.within++;
      return;
    }
    if (this.#card) yield this.#finish(UNENDED);
    this.#card = { properties: [], bytes: 0, problem: undefined, within: 0 };
  }

  *#endOne(): Generator<ReadCard> {
    if (!this.#card) this.#sawOtherLines = true;
    else if (this.#card.within > 0) this.#card.within--;
    else yield this.#finish(this.#card.problem);
  }

  #finish(problem: string | undefined): ReadCard {
    const index = this.#index++;
    const properties = this.#card?.properties ?? [];
    this.#card = undefined;
    if (problem !== undefined) return { index, problem };
    if (isGroup(properties)) return { index, problem: 'It describes a group, not a contact.' };
    return { index, card: readCard(properties) };
  }
}

/** A card begins within another where an AGENT has just been announced, or within that one. */
function isAgent({ properties, within }: OpenCard): boolean {
  return within > 0 || properties.at(-1)?.name === 'AGENT';
}

function take(card: OpenCard, line: string): void {
  const name = propertyName(line);
  if (name === undefined || card.problem !== undefined) return;
  if (!NEEDED.has(name)) return;
  card.bytes += line.length;
  const most = longestLine(line);
  if (line.length > most) card.problem = `Its ${name} has more than ${most} bytes.`;
  else if (card.properties.length === MAX_PROPERTIES)
    card.problem = `It has more than ${MAX_PROPERTIES} properties.`;
  else if (card.bytes > MAX_CARD) card.problem = `It has more than ${MAX_CARD} bytes of text.`;
  else keep(card, line);
}

function keep(card: OpenCard, line: string): void {
  const property = readProperty(line);
  if (!property) return;
  card.properties.push(property);
  if (property.name === 'VERSION' && !/^\s*(?:2\.1|[34]\.0)\s*$/.test(property.value)) {
    card.problem = `Its version ${property.value.trim().slice(0, 20)} is not one of 2.1, 3.0 and 4.0.`;
  }
}

/** Bytes of the properties of one card that are needed. */
const MAX_CARD = 1024 * 1024;

/** Properties of one card that are needed. */
const MAX_PROPERTIES = 2_000;

/**
 * The bytes of a file without the mark that tells its encoding, in UTF-8 where that mark says UTF-16 (address books of
 * some systems export it). Without a mark they pass as they are.
 */
async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array();
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (head) {
      bytes = Buffer.concat([head, chunk]);
      head = bytes.length < LONGEST_MARK ? bytes : undefined;
      if (head) continue;
      decoder = utf16(bytes);
      bytes = decoder ? bytes : withoutMark(bytes);
    }
    yield decoder ? Buffer.from(decoder.decode(bytes, { stream: true })) : bytes;
  }
  if (head) yield utf16(head) ? Buffer.from(utf16(head)?.decode(head) ?? '') : withoutMark(head);
}

const LONGEST_MARK = 3;

function utf16(bytes: Uint8Array): TextDecoder | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  return undefined;
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
