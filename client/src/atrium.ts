import { Changes } from './changes.ts';
import { Files } from './files.ts';
import {
  ApiKeys,
  Calendar,
  Contacts,
  Directory,
  Documents,
  Mail,
  Search,
  Spreadsheets,
} from './generated/areas.ts';
import { Requests } from './requests.ts';

export interface AtriumSettings {
  /** The address of the server, such as http://127.0.0.1:8080. */
  address: string;
  /** An API key, or a function that is called before each request: a session's token is another every few minutes. */
  key: string | (() => Promise<string>);
  /** Most retries of a call after temporary failures. Default: 7. */
  retries?: number;
}

const RETRIES = 7;

/** A client of an Atrium server, for one key. */
export class Atrium {
  readonly directory: Directory;
  readonly apiKeys: ApiKeys;
  readonly mail: Mail;
  readonly contacts: Contacts;
  readonly files: Files;
  readonly documents: Documents;
  readonly spreadsheets: Spreadsheets;
  readonly calendar: Calendar;
  readonly changes: Changes;
  readonly search: Search;

  /** Throws TypeError for an invalid server address. */
  constructor({ address, key, retries = RETRIES }: AtriumSettings) {
    const requests = new Requests({ address: normalizedAddress(address), key, retries });
    this.directory = new Directory(requests);
    this.apiKeys = new ApiKeys(requests);
    this.mail = new Mail(requests);
    this.contacts = new Contacts(requests);
    this.files = new Files(requests);
    this.documents = new Documents(requests);
    this.spreadsheets = new Spreadsheets(requests);
    this.calendar = new Calendar(requests);
    this.changes = new Changes(requests);
    this.search = new Search(requests);
  }
}

function normalizedAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isBare = url && !(url.username || url.password || url.search || url.hash);
  if (isBare && /^https?:$/.test(url.protocol)) return withoutSlashes(url.href);
  throw new TypeError(
    'The address must be of the form http://host:port or https://host, with a path at most.',
  );
}

/** A pattern would be tried from each slash (quadratic time). */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end--;
  return url.slice(0, end);
}
