import { Random } from '../bench/mail/random.ts';
import { Atrium } from '../client/src/index.ts';
import { makeCalendars } from './calendar.ts';
import { makeContacts } from './contacts.ts';
import { makeDocuments, makeDrive } from './drive.ts';
import { makeMail } from './mail.ts';
import { type Cast, makeCast } from './people.ts';

/** How much there is of what there may be any amount of. */
export interface Amounts {
  messages: number;
  contacts: number;
}

/** The same workspace every time, but for ids and for what lies around the present day. */
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
