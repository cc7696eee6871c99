import { randomBytes } from 'node:crypto';
import type { Database, WriteTransaction } from '../storage/database.ts';

const SECRET_BYTES = 32;

/** A secret of 32 bytes that all nodes on one database share; created at the first start. */
export async function serverSecret(database: Database, name: string): Promise<Buffer> {
  return database.write(async (tx) => {
    await tx.lockInstallation(`server secret ${name}`);
    return (await findSecret(tx, name)) ?? createSecret(tx, name);
  });
}

async function findSecret(tx: WriteTransaction, name: string): Promise<Buffer | undefined> {
  const row = await tx
    .selectFrom('server_secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row && Buffer.from(row.value);
}

async function createSecret(tx: WriteTransaction, name: string): Promise<Buffer> {
  const value = randomBytes(SECRET_BYTES);
  await tx.insertInto('server_secrets').values({ name, value }).execute();
  return value;
}
