import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

const USUAL_PORT = 8080;

/** What decides where a server listens; of `tls` only the certificate is looked at. */
export interface Listening {
  host: string;
  /** 0 = any free port. */
  port: number;
  tls: { cert: string } | undefined;
}

/** Where programs on this machine will find the server; on the usual port where the settings leave it to the system. */
export function addressHere({ host, port, tls }: Listening): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const here = isEverywhere ? '127.0.0.1' : host;
  const name = tls ? certifiedName(here, new X509Certificate(tls.cert)) : here;
  return `${tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port || USUAL_PORT}`;
}

/** A name that the certificate is for, since a client asks for one: that of the settings, this machine, or its own first. */
function certifiedName(host: string, certificate: X509Certificate): string {
  const isFor = (name: string) =>
    (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
  const found = [host, 'localhost'].find(isFor);
  const [, own = host] = /(?:^|, )DNS:([^,*]+)(?:,|$)/.exec(certificate.subjectAltName ?? '') ?? [];
  return found ?? own;
}

/** What a shell takes for the content of a file, whatever its path. */
export function shellContentOf(path: string): string {
  return `$(cat ${quoted(path)})`;
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
