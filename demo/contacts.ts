import type { Random } from '../bench/mail/random.ts';
import type { Cast } from './people.ts';

const GIVEN = [
  'Charles',
  'Mary',
  'Sofia',
  'Leonhard',
  'Hypatia',
  'Srinivasa',
  'Maria',
  'Évariste',
  'Olga',
  'Zhang',
];
const FAMILY = [
  'Babbage',
  'Somerville',
  'Kowalewskaja',
  'Euler',
  'Ramanujan',
  'Agnesi',
  'Galois',
  'Taussky',
  'Heng',
];
const PLACES = ['Analytical Engines', 'The Royal Society', 'University of Göttingen', ''];

/** Fills the owner's first address book and a second one. */
export async function makeContacts(
  { people: [owner] }: Cast,
  random: Random,
  contacts: number,
): Promise<void> {
  if (!owner) return;
  const { contacts: api } = owner.atrium;
  const [first] = await api.listAddressBooks();
  const club = await api.createAddressBook({
    name: 'The club',
    description: 'People from Thursday evenings',
  });
  for (let made = 0; made < contacts; made++) {
    const [given, family] = [random.of(GIVEN), random.of(FAMILY)];
    await api.createContact({
      address_book_id: random.chance(0.2) || !first ? club.id : first.id,
      given_name: given,
      family_name: family,
      emails: [{ address: `${ascii(given)}.${ascii(family)}.${made}@club.example`, type: 'work' }],
      phones: random.chance(0.5) ? [{ number: `+44 20 7946 ${String(1000 + made)}`, type: 'cell' }] : [],
      organization: random.of(PLACES),
    });
  }
}

function ascii(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[^a-z]/gi, '')
    .toLowerCase();
}
