import type { ContactFields } from '../../src/areas/contacts/schema.ts';
import { Random } from '../mail/random.ts';

const SYLLABLES =
  'an ber cla da el fre gun ha is jo ka lo mar nor ol pe quin ro sa tom ul vik wen xa yo zed'.split(' ');
const DOMAINS = [
  'example.com',
  'mail.example.org',
  'corp.example.net',
  'post.example.com',
  'uni.example.edu',
];
const GIVEN_NAMES = 1_500;
const FAMILY_NAMES = 6_000;

/** So many people of a world in which some names are common: the same ones every time. */
export function* generateContacts(count: number): Generator<ContactFields> {
  const random = new Random(4);
  const given = names(random, GIVEN_NAMES, 2);
  const family = names(random, FAMILY_NAMES, 3);
  for (let i = 0; i < count; i++) yield person(random, common(random, given), common(random, family));
}

function names(random: Random, count: number, syllables: number): string[] {
  return Array.from({ length: count }, () => {
    const name = Array.from({ length: syllables }, () => random.of(SYLLABLES)).join('');
    return name.charAt(0).toUpperCase() + name.slice(1);
  });
}

/** The first of a list more often than the last. */
function common(random: Random, list: readonly string[]): string {
  return list[Math.floor(list.length * random.next() * random.next())] ?? '';
}

function person(random: Random, given: string, family: string): ContactFields {
  const address = `${given}.${family}${random.below(100)}@${random.of(DOMAINS)}`.toLowerCase();
  return {
    name: `${given} ${family}`,
    given_name: given,
    family_name: family,
    emails: [{ address, type: 'work' }],
    phones: [{ number: `+49 ${random.below(1e9)}`, type: 'cell' }],
    organization: 'Example Works',
    ...(random.chance(0.2) && { notes: 'Met at the fair.' }),
  };
}
