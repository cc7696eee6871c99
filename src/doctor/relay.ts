import { domainToASCII } from 'node:url';
import type { Config } from '../start/config.ts';
import { type Finding, finding } from './finding.ts';

const WAIT_MS = 5_000;

/** Whether the relay greets and takes an EHLO. It does not log in, and sends nothing. */
export function checkRelay({ smtpRelay, domain }: Config): Promise<Finding> {
  return finding(
    'relay',
    async () => {
      if (!smtpRelay) return { state: 'ok', message: 'None: mail leaves for nobody outside.' };
      const { createTransport } = await import('nodemailer');
      const { host, port, secure } = smtpRelay;
      const transport = createTransport({
        host,
        port,
        secure,
        name: domainToASCII(domain),
        connectionTimeout: WAIT_MS,
        greetingTimeout: WAIT_MS,
        socketTimeout: WAIT_MS,
      });
      await transport.verify();
      return { state: 'ok', message: `${host}:${port} answers.` };
    },
    'See that ATRIUM_SMTP_RELAY names a server that can be reached from here.',
  );
}
