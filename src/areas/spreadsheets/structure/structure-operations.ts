import { Type } from 'typebox';
import { type Operation, writes } from '../../../contract/operation.ts';
import { IfMatch } from '../../../contract/preconditions.ts';
import { nameProblems } from '../reading/range-problems.ts';
import { BySpreadsheet } from '../reading/reading-operations.ts';
import { StructureChange, StructureResult } from '../schema.ts';
import type { SpreadsheetsService } from '../service.ts';

const StateHeader = Type.Object({ 'If-Match': IfMatch });

export function structureOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    writes({
      id: 'changeSpreadsheetStructure',
      area: 'Spreadsheets',
      method: 'POST',
      path: '/v1/spreadsheets/:id/structure',
      summary: 'Insert and delete rows, columns and sheets',
      description:
        'One operation after the other, all or none; If-Match carries the state, bare or as the quoted ETag. References in formulas follow, on other sheets too; what they named and is gone becomes #REF!. The role editor is needed.',
      permissions: ['sheets.structure.write'],
      params: BySpreadsheet,
      headers: StateHeader,
      body: StructureChange,
      answer: StructureResult,
      errors: ['forbidden', 'trashed', 'precondition_required', 'state_mismatch'],
      check: (_input, sent) => nameProblems(sent),
      handle: (tx, { principal, params, headers, body }) =>
        spreadsheets.changeStructure(tx, principal, params.id, headers, body.operations),
    }),
  ];
}
