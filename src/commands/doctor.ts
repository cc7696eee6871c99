import type { Command } from 'commander';
import { diagnose } from '../doctor/doctor.ts';
import { readConfig } from '../start/config.ts';
import { show } from './output.ts';

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
