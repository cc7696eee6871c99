import { setTimeout as pause } from 'node:timers/promises';
import { mailboxLock } from '../../src/areas/mail/owner.ts';
import type { Principal } from '../../src/contract/principal.ts';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { OWNER_KEY, type TestApp } from '../harness.ts';

/** The owner of the workspace, as an operation has the caller. */
export function ownerOf(app: TestApp): Promise<Principal> {
  return app.services.authentication.authenticate(`Bearer ${OWNER_KEY}`);
}

/**
 * Begins a change of the owner's mailbox that ends a little later. A call reads the mailbox as it was before, and then waits
 * with its writing until the change has been stored.
 */
export async function changeBegun(
  app: TestApp,
  change: (tx: WriteTransaction, owner: Principal) => Promise<unknown>,
): Promise<{ changed: Promise<unknown> }> {
  const owner = await ownerOf(app);
  const isHeld = Promise.withResolvers<void>();
  const changed = app.services.database.write(async (tx) => {
    tx.actAs(owner);
    await tx.lock(mailboxLock(owner));
    await tx.settled();
    isHeld.resolve();
    await pause(500);
    await change(tx, owner);
  });
  await isHeld.promise;
  return { changed };
}
