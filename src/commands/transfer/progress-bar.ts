/** Bytes that have come over, of all. */
export interface TransferProgress {
  done: number;
  total: number;
}

const WIDTH = 30;
const MIB = 1024 * 1024;

/** How far a transfer has come, for people. */
export function bar({ done, total }: TransferProgress): string {
  const share = total > 0 ? Math.min(done / total, 1) : 0;
  const filled = Math.floor(share * WIDTH);
  const line = `${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}`;
  return `[${line}] ${Math.floor(share * 100)} % of ${(total / MIB).toFixed(1)} MiB`;
}
