import { Random } from '../bench/mail/random.ts';
import { Atrium } from '../client/src/index.ts';
import { makeCalendars } from './calendar.ts';
import { makeContacts } from './contacts.ts';
import { makeDocuments, makeDrive } from './drive.ts';
import { makeMail } from './mail.ts';
import { type Cast, makeCast } from './people.ts';

/** The amounts of generated data. */
export interface Amounts {
  messages: number;
  contacts: number;
}

/** A fixed seed: the same workspace every time, except for ids and dates relative to today. */
const SEED = 1843;

/** Fills an empty workspace through the API, as its owner. */
export async function populate(address: string, key: string, { messages, contacts }: Amounts): Promise<Cast> {
  const random = new Random(SEED);
  const cast = await makeCast(new Atrium({ address, key }), address);
  await makeMail(cast, random, messages);
  await makeContacts(cast, random, contacts);
  await makeDrive(cast);
  await makeDocuments(cast);
  await makeCalendars(cast);
  return cast;
}
