/** Rules that are tested by mutation. */
export interface Subject {
  /** What is mutated. */
  readonly files: readonly string[];
  /** What kills: tests of the area, the quickest first. */
  readonly tests: readonly string[];
}

export const SUBJECTS: Readonly<Record<string, Subject>> = {
  roles: {
    files: [
      'src/areas/files/roles.ts',
      'src/areas/files/rights.ts',
      'src/areas/files/access.ts',
      'src/areas/files/sharing.ts',
    ],
    tests: ['test/areas/files-sharing.test.ts'],
  },
  permissions: {
    files: ['src/api/permissions.ts', 'src/api/authentication.ts', 'src/areas/keys/rules.ts'],
    tests: ['test/areas/keys-made-by-keys.test.ts', 'test/areas/keys.test.ts'],
  },
  validation: {
    files: [
      'src/api/schema-check.ts',
      'src/api/violations.ts',
      'src/api/json.ts',
      'src/api/required-values.ts',
    ],
    tests: ['test/api/json.test.ts', 'test/api/required-values.test.ts', 'test/api/schema-check.test.ts'],
  },
  filters: {
    files: ['src/areas/mail/filters/evaluation.ts', 'src/areas/mail/filters/message-texts.ts'],
    tests: ['test/areas/mail-filter-evaluation.test.ts'],
  },
  intervals: {
    files: [
      'src/areas/calendar/intervals.ts',
      'src/areas/calendar/agendas.ts',
      'src/areas/calendar/free-slots.ts',
    ],
    tests: ['test/areas/calendar-free-slots.test.ts'],
  },
  ranges: {
    files: [
      'src/areas/spreadsheets/a1.ts',
      'src/areas/spreadsheets/axis.ts',
      'src/areas/spreadsheets/references.ts',
      'src/areas/spreadsheets/structure-model.ts',
    ],
    tests: ['test/areas/spreadsheets-a1.test.ts', 'test/areas/spreadsheets-structure.test.ts'],
  },
};
