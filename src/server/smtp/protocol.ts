import type { Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { MAX_MESSAGE_BYTES } from '../../formats/messages/limits.ts';
import { Admission } from './admission.ts';
import { ExactConnection } from './exact-connection.ts';
import type { Sessions } from './sessions.ts';

/** RFC 5321, 4.5.3.2.7: a server waits for the next command for at least five minutes. */
const SILENCE_MS = 5 * 60_000;

const MOST_CONNECTIONS = 500;

/** RFC 5321, 4.5.3.1.8: at least a hundred. A client that has more is told to send the rest in another transaction. */
const MOST_RECIPIENTS = 100;

/** RFC 5321, 4.5.3.1.4 has 512, and every extension adds to it. */
const LONGEST_COMMAND = 4_096;

/** Nobody logs in here, and the rest are jokes or for proxies. */
const LEFT_OUT = ['AUTH', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'];

/** The protocol on connections that it is given; it does not listen itself. */
export interface Protocol {
  serve(socket: Socket): void;
  /** Those that have not been closed from here. */
  readonly connections: Iterable<Pick<SMTPConnection, 'id' | 'send'>>;
}

/** What the protocol is spoken with. `domain`: ours, as ASCII; `tls`: PEM texts, for STARTTLS. */
export interface ProtocolSettings {
  domain: string;
  tls: { cert: string; key: string } | undefined;
  /** 0 = no bound. */
  smtpConnectionsPerAddress: number;
}

/** `onBroken` hears of connections that fail. */
export function smtpProtocol(
  sessions: Sessions,
  { domain, tls, smtpConnectionsPerAddress }: ProtocolSettings,
  onBroken: (error: Error) => void,
): Protocol {
  const server = new SMTPServer({
    ...sessions.handlers(),
    ...(tls && { ...tls, minVersion: 'TLSv1.2' }),
    disabledCommands: tls ? LEFT_OUT : [...LEFT_OUT, 'STARTTLS'],
    hideENHANCEDSTATUSCODES: false,
    name: domain,
    banner: 'Atrium',
    heloResponse: '%s at your service',
    size: MAX_MESSAGE_BYTES,
    rejectOversized: true,
    maxRecipients: MOST_RECIPIENTS,
    maxCommandLength: LONGEST_COMMAND,
    socketTimeout: SILENCE_MS,
    // What is no address of ours is refused by name; of senders much is in use that the grammar forbids.
    lenientAddressParsing: true,
    // A name that the client's own DNS gives it proves nothing, and would make every connection wait.
    disableReverseLookup: true,
    logger: false,
  });
  server.on('error', onBroken);
  const admission = new Admission(server.connections, {
    name: domain,
    most: MOST_CONNECTIONS,
    perAddress: smtpConnectionsPerAddress,
    lastMailAt: (session) => sessions.lastMailAt(session),
  });
  const serve = (socket: Socket) => {
    if (admission.admits(socket)) admission.begun(connect(server, socket));
  };
  return { serve, connections: server.connections };
}

/** As the method of the library of this name, which would make a connection of its own class. */
function connect(server: SMTPServer, socket: Socket): SMTPConnection {
  const connection = new ExactConnection(server, socket);
  server.connections.add(connection);
  connection.on('error', (error) => server.emit('error', error));
  connection.init();
  return connection;
}
