import { type Config, ConfigError } from '../start/config.ts';
import { checkPorts } from './doors.ts';
import type { Finding } from './finding.ts';
import { checkCertificate, checkDataDirectory, checkTimeZones } from './machine.ts';
import { checkRelay } from './relay.ts';
import { checkBlobs, checkDatabase, checkStore } from './storage.ts';

/** Looks at everything that a server on these settings needs, and changes nothing. `read` throws ConfigError. */
export async function diagnose(read: () => Config): Promise<Finding[]> {
  const config = settingsOf(read);
  if ('check' in config) return [config, await checkTimeZones()];
  return [
    { check: 'settings', state: 'ok', message: 'They can be read.' },
    await checkDataDirectory(config),
    ...(await checkDatabase(config)),
    await checkBlobs(config),
    await checkStore(config),
    ...(await checkPorts(config)),
    await checkCertificate(config),
    await checkRelay(config),
    await checkTimeZones(),
  ];
}

function settingsOf(read: () => Config): Config | Finding {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { check: 'settings', state: 'fail', message: error.message };
  }
}
