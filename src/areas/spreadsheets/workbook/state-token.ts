import { hash, randomUUID } from 'node:crypto';
import type { Workbook } from './workbook.ts';

/** A revision that no other version has: a number that a crash or a restored backup took back could come again. */
export function newRevision(): string {
  return randomUUID();
}

/** The state token of a spreadsheet: another one whenever its content, or its title, is another. */
export function stateToken({ revision }: Pick<Workbook, 'revision'>, title: string): string {
  return hash('sha256', `${revision} ${title}`, 'base64url').slice(0, 22);
}
