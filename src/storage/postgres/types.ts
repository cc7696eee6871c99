import { type CustomTypesConfig, types } from 'pg';

const INT8 = 20;
const NUMERIC = 1700;

/** Numbers are numbers, as on SQLite: pg would give sums and counts as text. Other types as pg reads them. */
export const postgresTypes: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8 || oid === NUMERIC) return exactNumber;
    return types.getTypeParser(oid, format);
  },
};

function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`A number from the database is too large to be exact: ${text}`);
  }
  return value;
}
