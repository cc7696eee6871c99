import { useQuery } from '@tanstack/react-query';
import { api } from '../../app/api.ts';
import { useTexts } from '../../app/texts.ts';
import { ErrorPlace } from '../../parts/place.tsx';
import { filesTexts } from '../texts.ts';
import styles from './preview.module.css';

/** What the preview reads of the first sheet; it says so. */
const RANGE = 'A1:Z100';

/** The beginning of a spreadsheet as values. */
export function SheetPreview({ id }: { id: string }) {
  const texts = useTexts(filesTexts);
  const { data, error, refetch } = useQuery({
    queryKey: ['files', 'cells', id],
    queryFn: async ({ signal }) => (await api.spreadsheets.readRange(id, RANGE, {}, { signal })).values,
    staleTime: 10_000,
  });
  if (error) return <ErrorPlace error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const columns = Math.max(
    1,
    ...data.map((row) => row.findLastIndex((value) => value !== null && value !== '') + 1),
  );
  const rows = data.slice(
    0,
    data.findLastIndex((row) => row.some((value) => value !== null && value !== '')) + 1,
  );
  return (
    <div className={styles.text}>
      <p className={styles.note}>{rows.length === 0 ? texts.emptySheet : texts.sheetRange(RANGE)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reached by key */}
      <div className={styles.sheet} tabIndex={0} role="group" aria-label={texts.spreadsheet}>
        <table className={styles.cells}>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                {row.slice(0, columns).map((value, column) => (
                  <td key={column} data-type={typeof value} dir="auto">
                    {textOf(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
