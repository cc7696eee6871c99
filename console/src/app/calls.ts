import { Files } from '../../../client/src/files.ts';
import {
  ApiKeys,
  Calendar,
  Contacts,
  Directory,
  Documents,
  Mail,
  Spreadsheets,
} from '../../../client/src/generated/areas.ts';
import { type Call, Requests } from '../../../client/src/requests.ts';

class Recorded extends Error {
  readonly call: Call;

  constructor(call: Call) {
    super('A call was recorded instead of being sent');
    this.call = call;
  }
}

class Recorder extends Requests {
  override async send<T>(call: Call): Promise<T> {
    throw new Recorded(call);
  }
}

const recorder = new Recorder({ address: location.origin, key: '', retries: 0 });

const recording = {
  mail: new Mail(recorder),
  contacts: new Contacts(recorder),
  files: new Files(recorder),
  documents: new Documents(recorder),
  spreadsheets: new Spreadsheets(recorder),
  calendar: new Calendar(recorder),
  directory: new Directory(recorder),
  apiKeys: new ApiKeys(recorder),
};

export type RecordingApi = typeof recording;

/** What a method of the client would send, as data that can be stored: the client's types check it as they check a call. */
export async function callOf(write: (api: RecordingApi) => Promise<unknown>): Promise<Call> {
  try {
    await write(recording);
  } catch (error) {
    if (error instanceof Recorded) return error.call;
    throw error;
  }
  throw new TypeError('The function has called no operation');
}
