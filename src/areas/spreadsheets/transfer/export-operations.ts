import { type Operation, reads } from '../../../contract/operation.ts';
import { BySpreadsheet } from '../reading/reading-operations.ts';
import { ExportQuery } from '../schema.ts';
import type { SpreadsheetsService } from '../service.ts';

export function exportOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    reads({
      id: 'exportSpreadsheet',
      area: 'Spreadsheets',
      method: 'GET',
      path: '/v1/spreadsheets/:id/export',
      summary: 'Export a spreadsheet',
      description:
        'As an .xlsx workbook: values, formulas with what they show, number formats, sheet names, and which rows and sheets are hidden. Or what one sheet shows as .csv: ' +
        'UTF-8, commas, CRLF, the same number of fields in each record; of a sheet with over 20 million fields up to its ' +
        'last used row and column, each record ends with its last value instead. Numbers are shown in the number formats that an import gave their cells, dates as dates; ' +
        'all else goes into it as it is. Spreadsheet programs may take a text that begins with ' +
        '"=", "+", "-" or "@" for a formula, so hand cells of people whom you do not trust on as .xlsx, where text is text.',
      permissions: ['sheets.values.read'],
      params: BySpreadsheet,
      query: ExportQuery,
      content: {
        mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'text/csv'],
      },
      errors: ['forbidden', 'calculation_stopped', 'quota_exceeded'],
      prepare: ({ principal, params, query }) =>
        spreadsheets.exportSheets(principal, params.id, {
          format: query.format ?? 'xlsx',
          sheet: query.sheet,
        }),
    }),
  ];
}
