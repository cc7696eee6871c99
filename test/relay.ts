/** A relay for tests: a real SMTP server that keeps what it takes, and refuses what it is told to. */
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.ts';

/** A message as it arrived. */
export interface Arrived {
  from: string;
  to: string[];
  raw: string;
  /** The name that the client gave with EHLO. */
  clientName: string;
}

export interface TestRelay {
  /** For ATRIUM_SMTP_RELAY. */
  url: string;
  port: number;
  arrived: Arrived[];
  /** The reply to a recipient; undefined takes it. */
  recipientReply: (address: string) => [code: number, text: string] | undefined;
  /** The reply to a whole message, after it has been read; undefined takes it. */
  messageReply: (message: Arrived) => [code: number, text: string] | undefined;
  /** Awaited after a message was kept, before the client hears of it. */
  beforeReply: () => Promise<void>;
  /** Resolves when this many messages have arrived; fails when they never do. */
  waitFor(count: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startRelay(port = 0, credentials?: { user: string; pass: string }): Promise<TestRelay> {
  const relay: Omit<TestRelay, 'url' | 'port' | 'stop'> = {
    arrived: [],
    recipientReply: () => undefined,
    messageReply: () => undefined,
    beforeReply: async () => undefined,
    waitFor: (count) => eventually(() => relay.arrived.length >= count, `${count} messages have arrived`),
  };
  const server = new SMTPServer({
    disabledCommands: credentials ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    authOptional: !credentials,
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) => {
      const isKnown = username === credentials?.user && password === credentials?.pass;
      done(isKnown ? null : new Error('Unknown'), { user: username });
    },
    onRcptTo: ({ address }, _session, done) => done(errorOf(relay.recipientReply(address))),
    onData: (stream, { envelope, clientHostname, hostNameAppearsAs }, done) => {
      const { mailFrom, rcptTo } = envelope;
      const keep = async () => {
        const message = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: (await buffer(stream)).toString(),
          clientName: hostNameAppearsAs || clientHostname,
        };
        const refusal = relay.messageReply(message);
        if (!refusal) relay.arrived.push(message);
        await relay.beforeReply();
        return errorOf(refusal);
      };
      // A client that dies in the middle has sent nothing.
      keep().then(done, done);
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.server.address() as AddressInfo;
  const user = credentials ? `${credentials.user}:${credentials.pass}@` : '';
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return Object.assign(relay, { url: `smtp://${user}127.0.0.1:${bound}`, port: bound, stop });
}

function errorOf(reply: [code: number, text: string] | undefined): Error | null {
  return reply ? Object.assign(new Error(reply[1]), { responseCode: reply[0] }) : null;
}
