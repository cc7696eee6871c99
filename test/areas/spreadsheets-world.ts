import type { Answer, RequestOptions, TestApp } from '../harness.ts';
import { data } from './accounts.ts';

/** A cell as requests carry it. */
export type Cell = string | number | boolean;

/** Creates an empty spreadsheet; answers its id. */
export async function makeSpreadsheet(app: TestApp, title = 'Budget', key?: string): Promise<string> {
  const answer = await app.post('/v1/documents', { type: 'spreadsheet', title }, key ? { key } : {});
  return data(answer, 201).id;
}

export function rangePath(id: string, range: string, query = ''): string {
  return `/v1/spreadsheets/${id}/values/${encodeURIComponent(range)}${query}`;
}

export function put(
  app: TestApp,
  id: string,
  range: string,
  values: unknown,
  options?: RequestOptions,
): Promise<Answer> {
  return app.put(rangePath(id, range), { values }, options);
}

/** Writes, and fails unless that is taken; answers the write result. */
export async function write(app: TestApp, id: string, range: string, values: Cell[][]) {
  return data(await put(app, id, range, values));
}

/** What was written into a range, or what it shows. */
export async function read(
  app: TestApp,
  id: string,
  range: string,
  render: 'value' | 'formula' | 'formatted' = 'formula',
): Promise<Cell[][]> {
  return data(await app.get(rangePath(id, range, `?render=${render}`))).values;
}

export function formatsPath(id: string, range: string): string {
  return `/v1/spreadsheets/${id}/formats/${encodeURIComponent(range)}`;
}

/** Sets number formats, and fails unless that is taken; answers the write result. */
export async function setFormats(app: TestApp, id: string, range: string, formats: (string | null)[][]) {
  return data(await app.put(formatsPath(id, range), { formats }));
}

/** The number formats of a range. */
export async function readFormats(app: TestApp, id: string, range: string): Promise<(string | null)[][]> {
  return data(await app.get(formatsPath(id, range))).formats;
}

/** The state token. */
export async function stateOf(app: TestApp, id: string): Promise<string> {
  return data(await app.get(`/v1/spreadsheets/${id}`)).state;
}

/** Changes the structure from the present state on. */
export async function restructure(app: TestApp, id: string, operations: object[]): Promise<Answer> {
  const headers = { 'if-match': await stateOf(app, id) };
  return app.post(`/v1/spreadsheets/${id}/structure`, { operations }, { headers });
}
