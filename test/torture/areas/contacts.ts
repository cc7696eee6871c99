import assert from 'node:assert/strict';
import type { Area, Place } from '../area.ts';

interface Contact {
  id: string;
  name: string;
  isTrashed: boolean;
}

/** Making, renaming, trashing and restoring contacts in an address book of its own. */
export async function startContacts({ actor }: Place): Promise<Area> {
  const { random } = actor;
  const made = await actor.must({
    method: 'POST',
    path: '/v1/address-books',
    body: { name: random.token() },
  });
  const book = made.data.id;
  const contacts: Contact[] = [];
  const listed = (query = '') => actor.walk(`/v1/contacts?address_book_id=${book}${query}`);
  const hasOne = (name: string) => async () => [(await listed(`&q=${name}`)).length === 1];

  const create = async () => {
    const name = random.token();
    const emails = [{ address: `${name}@c.example`, type: 'work' }];
    const body = { address_book_id: book, name, emails, notes: random.bytes(300).toString('hex') };
    const { data } = await actor.must({ method: 'POST', path: '/v1/contacts', body }, hasOne(name));
    contacts.push({ id: data.id, name, isTrashed: false });
  };
  const rename = async (contact: Contact) => {
    const name = random.token();
    const path = `/v1/contacts/${contact.id}`;
    await actor.must({ method: 'PUT', path, body: { name } }, hasOne(name));
    contact.name = name;
  };
  const trash = async (contact: Contact) => {
    const isGone = async () => (await hasOne(contact.name)()).map((isThere) => !isThere);
    await actor.must({ method: 'DELETE', path: `/v1/contacts/${contact.id}` }, isGone);
    contact.isTrashed = true;
  };
  const restore = async (contact: Contact) => {
    await actor.must({ method: 'POST', path: `/v1/contacts/${contact.id}/restore` }, hasOne(contact.name));
    contact.isTrashed = false;
  };

  return {
    step: () => {
      if (contacts.length < 3 || random.chance(0.5)) return create();
      const contact = random.pick(contacts);
      return contact.isTrashed ? restore(contact) : random.pick([rename, rename, trash])(contact);
    },
    prove: async () => {
      for (const isTrashed of [false, true]) {
        const expected = contacts.filter((contact) => contact.isTrashed === isTrashed);
        const found = await listed(`&trashed=${isTrashed}`);
        assert.deepEqual(
          found.map(({ id, name }) => [id, name]),
          expected.map(({ id, name }) => [id, name]).sort(byName),
        );
      }
      const books = await actor.get('/v1/address-books');
      const { contact_count: count } = books.find(({ id }: { id: string }) => id === book);
      assert.equal(count, contacts.filter(({ isTrashed }) => !isTrashed).length);
    },
  };
}

function byName([, a = '']: string[], [, b = '']: string[]): number {
  return a < b ? -1 : 1;
}
