import type { Socket } from 'node:net';
import { envelope, JSON_TYPE } from '../../contract/answers.ts';
import { notFound } from '../../contract/errors.ts';
import { refuse } from '../../contract/validation.ts';
import type { HttpServer } from './http-server.ts';

/** How a server proves that it has the owner's key. */
export interface OwnerProof {
  /** The form of the nonce that a client generates for each proof. */
  nonce: RegExp;
  /** The proof for a nonce on a connection; undefined where there is no key to prove. */
  prove(nonce: string, socket: Socket): Promise<string | undefined>;
}

/** The base64url of 32 random bytes. */
const EXAMPLE = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA';

/**
 * Serves `GET /owner-proof`: before a command of the owner sends its key, it verifies that the listener is the
 * owner's own server. It needs no key: a proof is valid for the connection that requested it, and reveals nothing
 * else.
 */
export function registerOwnerProof(server: HttpServer, { nonce: form, prove }: OwnerProof): void {
  server.route('GET', '/owner-proof', async (exchange, { query }) => {
    const nonce = String(query.nonce ?? '');
    if (!form.test(nonce)) {
      const message = `Give 32 random bytes in base64url, such as "${EXAMPLE}".`;
      refuse([{ parameter: 'nonce', code: 'wrong_format', message }]);
    }
    const proof = await prove(nonce, exchange.request.socket);
    if (proof === undefined) throw notFound('owner_key', '');
    exchange.headers['content-type'] = JSON_TYPE;
    exchange.send(200, envelope({ proof }, exchange.id));
  });
}
