/**
 * Counts the files of src that three requests cross from their URL to their answer: the files that have a function which
 * runs, by the coverage of V8, less those of which the same is true while nothing is asked. Prints each journey.
 */
import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import { startApp, type TestApp } from '../harness.ts';

const SOURCES = pathToFileURL(`${import.meta.dirname}/../../src/`).href;

/** What runs below the ports of storage and blobs, and what decides whose turn it is: nothing of it knows of a request. */
const BELOW = /^(?:storage|blobs|turns|platform)\//;

const app = await startApp('sqlite');
// What follows a change after its answer is not counted.
await app.services.indexer.stop();
await app.services.contactIndexer.stop();
await app.services.deliveries.stop(0);
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

for (const [name, prepare] of Object.entries({ flags, values, complete })) {
  // The first request of a kind loads, prepares and remembers; the second is the one that is counted.
  await (await prepare(app))();
  const request = await prepare(app);
  await filesRun();
  const { status, text } = await request();
  if (status >= 300) throw new Error(text);
  const files = await filesRun();
  const above = files.filter((file) => !BELOW.test(file));
  console.log(
    `${name}: ${files.length} files, ${above.length} of them from the URL to the statements of SQL`,
  );
  console.log(`  ${files.join('\n  ')}`);
}
session.disconnect();
await app.stop();

/** A request that is ready to be sent. */
type Request = () => Promise<{ status: number; text: string }>;

async function flags({ get, post }: TestApp): Promise<Request> {
  const inbox = (await get('/v1/folders')).json.data[0].id;
  const path = `/v1/folders/${inbox}/messages`;
  const body = 'From: Ada <ada@example.org>\r\nSubject: Hello\r\n\r\nFirst light.\r\n';
  const { json } = await post(path, body, { headers: { 'content-type': 'message/rfc822' } });
  return () => post(`${path}/flags`, { message_ids: [json.data.id], op: 'add', flags: ['starred'] });
}

async function values({ post, put }: TestApp): Promise<Request> {
  const { json } = await post('/v1/documents', { type: 'spreadsheet', title: 'Sums' });
  return () =>
    put(`/v1/spreadsheets/${json.data.id}/values/A1:B2`, {
      values: [
        [1, 2],
        ['=A1+B1', 'x'],
      ],
    });
}

async function complete({ post, put }: TestApp): Promise<Request> {
  const { json } = await post('/v1/files/uploads', { filename: 'a.txt', size: 5 });
  const path = `/v1/files/uploads/${json.data.session_id}`;
  await put(`${path}/parts/1`, 'hello', { headers: { 'content-type': 'application/octet-stream' } });
  return () => post(`${path}/complete`);
}

/** The files of src of which a function has run since the last call. */
async function filesRun(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith(SOURCES))
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url }) => url.slice(SOURCES.length))
    .sort();
}
