import { Atrium } from '../../../client/src/index.ts';
import { session } from './session.ts';

/** The API as the person who is signed in. Few retries: the queries and the outbox repeat what fails. */
export const api = new Atrium({ address: location.origin, key: session.token, retries: 2 });

/**
 * The address of content for what cannot carry a token: downloads, pictures, media, the frame of a letter. It is good for one
 * GET within 60 seconds. `path` is a path of the API that answers content, with its query.
 */
export async function ticketFor(path: string): Promise<string> {
  const answer = await fetch('/console/tickets', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await session.token()}` },
    body: JSON.stringify({ path }),
  });
  const { data, error } = (await answer.json()) as { data: { url: string }; error?: { message: string } };
  if (!answer.ok) throw new Error(error?.message ?? `The server answered ${answer.status}.`);
  return data.url;
}

/** Has the browser save the content of a path. */
export async function download(path: string, filename?: string): Promise<void> {
  const link = document.createElement('a');
  link.href = await ticketFor(path);
  link.download = filename ?? '';
  link.click();
}
