import type { Readable } from 'node:stream';

/** A message for the relay. */
export interface Letter {
  /** The same at every attempt: the envelope id of RFC 3461, for relays that know it. */
  id: string;
  /** The address of the envelope. */
  sender: string;
  recipients: readonly string[];
  open(): Promise<Readable | Uint8Array>;
}

/** What became of one recipient; `reply` is what the relay said, or what happened instead. */
export type RelayOutcome =
  | { address: string; result: 'taken' }
  | { address: string; result: 'deferred' | 'refused'; reply: string };

/** The server that takes mail for everywhere. */
export interface Relay {
  /** One attempt. Answers what became of each recipient, and never rejects. */
  send(letter: Letter): Promise<RelayOutcome[]>;
  /** Ends its connections; attempts that are under way are deferred. */
  close(): void;
}

/** Keeps what waits for a relay until one is set again. */
export const noRelay: Relay = {
  send: async ({ recipients }) => deferred(recipients, 'No relay is set (ATRIUM_SMTP_RELAY)'),
  close: () => undefined,
};

/** All of them are to be tried again. */
export function deferred(recipients: readonly string[], reply: string): RelayOutcome[] {
  return recipients.map((address) => ({ address, result: 'deferred', reply }));
}
