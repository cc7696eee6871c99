import { X509Certificate } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../../start/config.ts';
import { type Finding, finding } from './finding.ts';

const GIB = 1024 ** 3;
const SCARCE_BYTES = 5 * GIB;
const TOO_FEW_BYTES = GIB / 4;
const DAY_MS = 86_400_000;
const RENEWAL_DAYS = 14;

/** Whether the data directory is writable and has free space. */
export function checkDataDirectory({ dataDir }: Config): Promise<Finding> {
  return finding(
    'data directory',
    async () => {
      const there = nearest(dataDir);
      if (!(await stat(there)).isDirectory()) throw new Error(`${there} is no directory`);
      await access(there, constants.R_OK | constants.W_OK | constants.X_OK);
      const { bavail, bsize } = await statfs(there);
      const free = bavail * bsize;
      const room = `${dataDir}${there === dataDir ? '' : ' (made by the first start)'}, ${(free / GIB).toFixed(1)} GiB free`;
      if (free < TOO_FEW_BYTES) return { state: 'fail', message: `${room}. Make room on this disk.` };
      if (free < SCARCE_BYTES) return { state: 'warn', message: `${room}. Make room on this disk soon.` };
      return { state: 'ok', message: room };
    },
    'Let ATRIUM_DATA_DIR name a directory that the user that runs Atrium may write to.',
  );
}

function nearest(directory: string): string {
  return existsSync(directory) ? directory : nearest(dirname(directory));
}

/** Whether the certificate is valid now. Reading the settings has checked that it matches the key. */
export function checkCertificate({ tls }: Config): Promise<Finding> {
  return finding(
    'certificate',
    async () => {
      if (!tls) return { state: 'ok', message: 'None: HTTP and SMTP without TLS.' };
      const { validFromDate, validToDate } = new X509Certificate(tls.cert);
      const days = Math.floor((validToDate.getTime() - Date.now()) / DAY_MS);
      const until = `Valid until ${validToDate.toISOString().slice(0, 10)}`;
      if (days < 0) return { state: 'fail', message: `${until}: it has expired. Renew it and start again.` };
      if (validFromDate.getTime() > Date.now())
        return { state: 'fail', message: 'Not valid yet. Set the clock right, or take another one.' };
      if (days < RENEWAL_DAYS) return { state: 'warn', message: `${until}. Renew it and start again.` };
      return { state: 'ok', message: `${until}.` };
    },
    'Name a certificate as PEM with ATRIUM_TLS_CERT.',
  );
}

/** Whether Node has the time zones that calendars need. */
export function checkTimeZones(): Promise<Finding> {
  return finding(
    'time zones',
    async () => {
      const { offset } = Temporal.ZonedDateTime.from('2026-07-01T12:00[Europe/Berlin]');
      if (offset !== '+02:00') throw new Error(`In Berlin it is ${offset} in summer`);
      return { state: 'ok', message: `Time zone data ${process.versions.tz ?? 'of the system'}.` };
    },
    'Run Atrium with the Node that its setup installs.',
  );
}
