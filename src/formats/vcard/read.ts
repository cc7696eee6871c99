import { giveWay, isTurnOver, nextTurn } from '../../turns/next-turn.ts';
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

/** The properties read of a card; a contact has no fields for the others. */
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

/** RFC 6350 5.3: 1 is the most preferred; values without PREF come last. */
const NOT_PREFERRED = 101;

/** Makes a card from its properties. */
function readCard(properties: readonly Property[]): Card {
  const labels = labelsByGroup(properties);
  const named = (name: string) => byPreference(properties.filter((property) => property.name === name));
  const [familyName = '', givenName = ''] = components(named('N')[0]?.value ?? '');
  return {
    uid: unescapeText(first(named('UID'))).trim(),
    name: unescapeText(first(named('FN'))),
    givenName,
    familyName,
    // RFC 6350 6.6.4: the name of the organization, then its units.
    organization: components(first(named('ORG'))).find((part) => part !== '') ?? '',
    title: unescapeText(first(named('TITLE'))),
    notes: named('NOTE')
      .map(({ value }) => unescapeText(value))
      .join('\n'),
    emails: labelledValues(named('EMAIL'), labels, 'mailto:'),
    phones: labelledValues(named('TEL'), labels, 'tel:'),
  };
}

/** Whether the card describes a group of contacts (RFC 6350 6.1.4, and Apple's older property). */
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

function labelledValues(
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
  return uri.toLowerCase().startsWith(scheme) ? percentDecode(uri.slice(scheme.length)) : uri;
}

function percentDecode(text: string): string {
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

/** The first X-ABLabel of each group. */
function labelsByGroup(properties: readonly Property[]): Map<string, string> {
  const labels = new Map<string, string>();
  for (const { name, group, value } of properties) {
    if (name === 'X-ABLABEL' && group !== '' && !labels.has(group)) labels.set(group, unescapeText(value));
  }
  return labels;
}

/**
 * Reads the cards of a file (vCard 3.0 and 4.0, and their common subset in 2.1) as its bytes arrive. Ignores lines
 * between cards. But a file with lines and no card yields one unreadable card.
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
  for await (const bytes of asUtf8(chunks)) {
    // Blank and continued lines end no line, so the loop above may look at the clock seldom.
    await giveWay();
    yield* readInTurns(lines.read(bytes));
  }
  yield* readInTurns(lines.end());
  yield* reader.end();
}

const UNENDED = 'It has no END:VCARD.';
const NO_CARD = 'This is no vCard: nothing begins with BEGIN:VCARD.';

/** A card whose END line has not arrived. */
interface OpenCard {
  properties: Property[];
  bytes: number;
  problem: string | undefined;
  /** The number of open nested cards: vCard 2.1 and 3.0 may nest the card of an AGENT. */
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
    else if (this.#card.within === 0) takeLine(this.#card, line);
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

/** A card starts within another directly after an AGENT property, or within an agent's card. */
function isAgent({ properties, within }: OpenCard): boolean {
  return within > 0 || properties.at(-1)?.name === 'AGENT';
}

function takeLine(card: OpenCard, line: string): void {
  const name = propertyName(line);
  if (name === undefined || card.problem !== undefined) return;
  if (!NEEDED.has(name)) return;
  card.bytes += line.length;
  const most = longestLine(line);
  if (line.length > most) card.problem = `Its ${name} has more than ${most} bytes.`;
  else if (card.properties.length === MAX_PROPERTIES)
    card.problem = `It has more than ${MAX_PROPERTIES} properties.`;
  else if (card.bytes > MAX_CARD) card.problem = `It has more than ${MAX_CARD} bytes of text.`;
  else addProperty(card, line);
}

function addProperty(card: OpenCard, line: string): void {
  const property = readProperty(line);
  if (!property) return;
  card.properties.push(property);
  if (property.name === 'VERSION' && !/^\s*(?:2\.1|[34]\.0)\s*$/.test(property.value)) {
    card.problem = `Its version ${property.value.trim().slice(0, 20)} is not one of 2.1, 3.0 and 4.0.`;
  }
}

/** Most bytes of the needed properties of one card. */
const MAX_CARD = 1024 * 1024;

/** Most needed properties of one card. */
const MAX_PROPERTIES = 2_000;

/**
 * Removes the byte-order mark of a file, and converts UTF-16 (which some address books export) to UTF-8. Files
 * without a mark pass unchanged.
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
