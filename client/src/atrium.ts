import { Files } from './files.ts';
import { ApiKeys, Calendar, Contacts, Directory, Documents, Mail, Spreadsheets } from './generated/areas.ts';
import { Requests } from './requests.ts';

export interface AtriumSettings {
  /** Where the server is, such as http://127.0.0.1:8080. */
  address: string;
  /** An API key. */
  key: string;
  /** How often a call is tried again where its failure may pass. Default: 7. */
  retries?: number;
}

const RETRIES = 7;

/** An Atrium server, for one key. */
export class Atrium {
  readonly directory: Directory;
  readonly apiKeys: ApiKeys;
  readonly mail: Mail;
  readonly contacts: Contacts;
  readonly files: Files;
  readonly documents: Documents;
  readonly spreadsheets: Spreadsheets;
  readonly calendar: Calendar;

  /** Throws TypeError where the address cannot be that of a server. */
  constructor({ address, key, retries = RETRIES }: AtriumSettings) {
    const requests = new Requests({ address: checked(address), key, retries });
    this.directory = new Directory(requests);
    this.apiKeys = new ApiKeys(requests);
    this.mail = new Mail(requests);
    this.contacts = new Contacts(requests);
    this.files = new Files(requests);
    this.documents = new Documents(requests);
    this.spreadsheets = new Spreadsheets(requests);
    this.calendar = new Calendar(requests);
  }
}

function checked(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isBare = url && !(url.username || url.password || url.search || url.hash);
  if (isBare && /^https?:$/.test(url.protocol)) return withoutSlashes(url.href);
  throw new TypeError(
    'The address must be of the form http://host:port or https://host, with a path at most.',
  );
}

/** A pattern would begin anew at each slash: it takes the square of their number. */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end--;
  return url.slice(0, end);
}
