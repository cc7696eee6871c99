/** A reporter that ends the process with the first test that fails: what comes after it tells nothing more. */
import { writeSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export default async function firstFailure(events: AsyncIterable<TestEvent>): Promise<void> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail') continue;
    writeSync(process.stdout.fd, `${data.name}\n${inspect(data.details.error)}\n`);
    process.exit(1);
  }
}
