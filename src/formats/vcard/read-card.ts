import { type Property, parameterValues } from '../content-lines/property.ts';
import type { Card, LabelledValue } from './card.ts';
import { labelOfText, labelOfTypes } from './labels.ts';
import { components, unescapeText } from './text-value.ts';

/** The properties that a card is read from; all others say what there is no place for. */
export const NEEDED = new Set([
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
export function readCard(properties: readonly Property[]): Card {
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
export function isGroup(properties: readonly Property[]): boolean {
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
