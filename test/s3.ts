/** What goes wrong with a request: refused, refused for want of room, never served, or served while its answer is lost. */
export type Fault = 'slow down' | 'full' | 'drop' | 'drop answer';

/** An S3-compatible store that lives in the memory of this process, for tests. */
export interface S3 {
  /** The value of ATRIUM_BLOBS for a bucket that exists. */
  blobs: string;
  bucket: string;
  endpoint: string;
  /** The variables that a process needs to reach it. */
  env: typeof env;
  /** Every request so far: its method, path and query. */
  requests: string[];
  /** Decides by "METHOD /path?query" what goes wrong with a request; undefined lets all pass. */
  fault: ((request: string) => Fault | undefined) | undefined;
  stop(): Promise<void>;
}

const BUCKET = 'atrium-test';

/** The variables with which the SDK signs what the store accepts. */
export const env = { AWS_ACCESS_KEY_ID: 'atrium-test-id', AWS_SECRET_ACCESS_KEY: 'atrium-test-secret' };

/** Starts a store on a free port of 127.0.0.1 with one empty bucket. */
export async function startS3(): Promise<S3> {
  // Most tests never start one, though they import this.
  const { buildApp } = await import('fauxqs');
  const app = buildApp({ logger: false });
  const s3: S3 = {
    blobs: '',
    bucket: BUCKET,
    endpoint: '',
    env,
    requests: [],
    fault: undefined,
    stop: () => app.close(),
  };
  const uploads = new UploadList();
  app.addHook('onRequest', (request, reply, next) => {
    const line = `${request.method} ${request.url}`;
    s3.requests.push(line);
    const fault = s3.fault?.(line);
    if (fault === 'drop') request.raw.socket.destroy();
    else if (fault === 'slow down') reply.code(503).type('application/xml').send(errorXml('SlowDown'));
    else if (fault === 'full') reply.code(507).type('application/xml').send(errorXml('XMinioStorageFull'));
    else if (!isSigned(request.headers.authorization)) reply.code(403).send(errorXml('InvalidAccessKeyId'));
    else if (/^GET [^?]+\?(.*&)?uploads/.test(line))
      reply.type('application/xml').send(uploads.listed(request.url));
    else next();
  });
  app.addHook('onSend', (request, _reply, payload, next) => {
    uploads.follow(request.method, request.url, String(payload));
    if (s3.fault?.(`${request.method} ${request.url}`) === 'drop answer') request.raw.socket.destroy();
    else next();
  });
  s3.endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  s3.blobs = `s3://${BUCKET}?endpoint=${s3.endpoint}&region=eu-test-1`;
  await app.inject({ method: 'PUT', url: `/${BUCKET}`, headers: { authorization: signature('eu-test-1') } });
  s3.requests.length = 0;
  return s3;
}

/** The multipart uploads that are under way: the server behind has them, and no list of them. */
class UploadList {
  readonly #keys = new Map<string, string>();

  /** Takes in what an answer says. */
  follow(method: string, url: string, answer: string): void {
    const { pathname, searchParams } = new URL(url, 'http://s3');
    const begun = /<UploadId>([^<]+)<\/UploadId>/.exec(answer)?.[1];
    if (method === 'POST' && begun !== undefined)
      this.#keys.set(begun, pathname.split('/').slice(2).join('/'));
    if (method !== 'PUT') this.#keys.delete(searchParams.get('uploadId') ?? '');
  }

  /** The answer to ListMultipartUploads. */
  listed(url: string): string {
    const prefix = new URL(url, 'http://s3').searchParams.get('prefix') ?? '';
    const found = [...this.#keys].filter(([, key]) => key.startsWith(prefix));
    const items = found.map(([id, key]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
    return `<?xml version="1.0" encoding="UTF-8"?><ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`;
  }
}

/** The ids of the multipart uploads that were sent parts and neither completed nor aborted. */
export function unfinishedUploads(s3: S3): Set<string> {
  const unfinished = new Set<string>();
  for (const request of s3.requests) {
    const id = /[?&]uploadId=([^&]+)/.exec(request)?.[1];
    if (id === undefined) continue;
    if (request.startsWith('PUT ')) unfinished.add(id);
    else unfinished.delete(id);
  }
  return unfinished;
}

/** The server behind does not look at signatures, so at least whose they are is looked at here. */
function isSigned(authorization: string | undefined): boolean {
  return authorization?.startsWith(`AWS4-HMAC-SHA256 Credential=${env.AWS_ACCESS_KEY_ID}/`) ?? false;
}

function signature(region: string): string {
  return `AWS4-HMAC-SHA256 Credential=${env.AWS_ACCESS_KEY_ID}/20260101/${region}/s3/aws4_request`;
}

function errorXml(code: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
}
