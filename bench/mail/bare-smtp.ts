/** What the protocol alone costs: the same library, accepting everything and keeping nothing. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  logger: false,
  onData: (content, _session, reply) => {
    content.on('end', () => reply());
    content.resume();
  },
});
const listener = server.listen(0, '127.0.0.1', () => {
  process.send?.((listener.address() as AddressInfo).port);
});
