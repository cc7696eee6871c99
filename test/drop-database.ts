/** What a server answers when it has waited five seconds for the sessions that it ended (DROP DATABASE, WITH (FORCE)). */
const IN_USE = '55006';
const ATTEMPTS = 12;

/**
 * Removes a database with all that is in it; whoever is still connected loses it. A session that waits for a slow disk, or
 * for another server of a cluster, ends later than the server waits: it is asked again, for a minute.
 */
export async function dropDatabase(ask: (sql: string) => Promise<unknown>, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ask(`drop database ${name} with (force)`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== IN_USE || attempt === ATTEMPTS) throw error;
    }
  }
}
