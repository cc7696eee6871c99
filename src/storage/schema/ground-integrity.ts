import { CHECKSUM, columnsHold, type IntegrityRule, TIME } from './integrity-rule.ts';

/** What holds of the rows that belong to no area. */
export const GROUND_INTEGRITY: readonly IntegrityRule[] = [
  columnsHold(
    'idempotency_records',
    { status: { least: 200, most: 599 }, expires_at: TIME },
    'idempotency_key',
  ),
  columnsHold('pending_blobs', { created_at: TIME }, 'blob_key'),
  columnsHold('blob_checksums', { checksum: CHECKSUM }, 'blob_key'),
];
