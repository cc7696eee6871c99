import type { Socket } from 'node:net';
import { envelope, JSON_TYPE } from '../../contract/answers.ts';
import { notFound } from '../../contract/errors.ts';
import { refuse } from '../../contract/validation.ts';
import type { HttpServer } from './http-server.ts';

/** How a server shows that it holds the key of the owner. */
export interface OwnerProof {
  /** The form of what a client chooses anew for each proof. */
  nonce: RegExp;
  /** The proof for a nonce on a connection; undefined where there is no key to be proven. */
  prove(nonce: string, socket: Socket): Promise<string | undefined>;
}

/** Such as a client makes of 32 random bytes. */
const EXAMPLE = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA';

/**
 * Serves `GET /owner-proof`, by which a command of the owner tells its own server from any other that listens there, before
 * it sends a key. No key needed: a proof is good for the connection that asked for it, and tells nothing else.
 */
export function registerOwnerProof(server: HttpServer, { nonce: form, prove }: OwnerProof): void {
  server.route('GET', '/owner-proof', async (exchange, { query }) => {
    const nonce = String(query.nonce ?? '');
    if (!form.test(nonce)) {
      const message = `Must be 32 random bytes in base64url, as "${EXAMPLE}".`;
      refuse([{ parameter: 'nonce', code: 'wrong_format', message }]);
    }
    const proof = await prove(nonce, exchange.request.socket);
    if (proof === undefined) throw notFound('owner_key', '');
    exchange.headers['content-type'] = JSON_TYPE;
    exchange.send(200, envelope({ proof }, exchange.id));
  });
}
