import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

const USUAL_PORT = 8080;

/** The settings that decide the server's address; of `tls`, only the certificate is used. */
export interface Listening {
  host: string;
  /** 0 = any free port. */
  port: number;
  tls: { cert: string } | undefined;
}

/** The server's address for programs on this machine; with the usual port where the system chooses the port. */
export function addressHere({ host, port, tls }: Listening): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const here = isEverywhere ? '127.0.0.1' : host;
  const name = tls ? certifiedName(here, new X509Certificate(tls.cert)) : here;
  return `${tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port || USUAL_PORT}`;
}

/** The address for a browser on this machine, which shows "localhost" where the server listens on it or everywhere. */
export function pageHere(listening: Listening): string {
  const { host, tls } = listening;
  const isHere = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host);
  return addressHere(isHere && !tls ? { ...listening, host: 'localhost' } : listening);
}

/**
 * A name that the certificate covers, because clients verify it: the host of the settings, localhost, or the
 * certificate's first name.
 */
function certifiedName(host: string, certificate: X509Certificate): string {
  const isFor = (name: string) =>
    (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
  const found = [host, 'localhost'].find(isFor);
  const [, own = host] = /(?:^|, )DNS:([^,*]+)(?:,|$)/.exec(certificate.subjectAltName ?? '') ?? [];
  return found ?? own;
}

/** A shell expression for the content of a file, quoted for any path. */
export function shellContentOf(path: string): string {
  return `$(cat ${quoted(path)})`;
}

/** Quotes a text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
