import type { Command } from 'commander';
import { type Config, ConfigError, readConfig } from '../../start/config.ts';
import { show } from '../output.ts';
import type { Finding } from './checks/finding.ts';
import { checkCertificate, checkDataDirectory, checkTimeZones } from './checks/machine.ts';
import { checkPorts, checkRelay } from './checks/network.ts';
import { checkBlobs, checkDatabase, checkStore } from './checks/storage.ts';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('See whether the settings and the machine are as a server needs them, and what to do')
    .action(doctor);
}

async function doctor(_options: object, command: Command): Promise<void> {
  const findings = await diagnose(() => readConfig());
  const isWell = findings.every(({ state }) => state !== 'fail');
  show(command, { ok: isWell, findings }, () =>
    findings.map(({ check, state, message }) => `${state.padEnd(4)}  ${check}: ${message}`).join('\n'),
  );
  if (!isWell) process.exitCode = 1;
}

/** Checks everything that a server with these settings needs, and changes nothing. `read` throws ConfigError. */
async function diagnose(read: () => Config): Promise<Finding[]> {
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
