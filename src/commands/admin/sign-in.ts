import type { Command } from 'commander';
import { signInUrl } from '../../areas/keys/service.ts';
import { pageHere } from '../../start/address.ts';
import { readConfig } from '../../start/config.ts';
import { userNamed } from '../lookups.ts';
import { show } from '../output.ts';
import { withServices } from '../with-services.ts';

export function addSignInCommand(program: Command): void {
  program
    .command('sign-in')
    .description('Make a link that signs a user in, once and within ten minutes')
    .argument('<user>', 'the id, e-mail address or alias of the user')
    .action(makeLink);
}

async function makeLink(user: string, _options: unknown, command: Command): Promise<void> {
  const { secret: code, expiresAt } = await withServices(({ database, directory, keys }) =>
    database.write(async (tx) => keys.signIn.createCode(tx, await userNamed(tx, directory, user))),
  );
  const url = signInUrl(pageHere(readConfig()), code);
  show(command, { code, url, expires_at: new Date(expiresAt).toISOString() }, () => url);
}
