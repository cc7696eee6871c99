import { type Page, type PageRequest, pageOf } from './answers.ts';

/** The exclusive lower bound of a page of a listing in order of id. */
export function afterId({ after }: PageRequest): string {
  return String(after?.[0] ?? '');
}

/** Turns rows in order of id, read up to the limit, into a page. */
export function pageById<R extends { id: string }, T>(rows: readonly R[], item: (row: R) => T): Page<T> {
  return pageOf(rows, item, (row) => [row.id]);
}
