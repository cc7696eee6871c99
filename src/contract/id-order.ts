import { type Page, type PageRequest, pageOf } from './answers.ts';

/** Where a page of a listing in order of id begins: every id of the page is greater. */
export function afterId({ after }: PageRequest): string {
  return String(after?.[0] ?? '');
}

/** Rows in order of id, read up to the limit, as a page. */
export function pageById<R extends { id: string }, T>(rows: readonly R[], item: (row: R) => T): Page<T> {
  return pageOf(rows, item, (row) => [row.id]);
}
