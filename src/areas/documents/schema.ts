import { type Static, Type } from 'typebox';
import { lineOfText, NOT_BLANK } from '../../contract/storable-text.ts';
import { timestamp } from '../../contract/timestamp.ts';
import { LEFT_OUT } from '../../formats/workbooks/import-notes.ts';
import { TEXT_ENCODINGS } from '../../text/decode.ts';
import { Include, OwnRole } from '../drive/service.ts';

const USER_ID = 'usr_01k0qv5m8qe3rsgm9y3f2c7d4x';
const FILE_ID = 'file_01k0qv5m8qe3rsgm9y3f2c7d4x';
const FOLDER_ID = 'dir_01k0qv5m8qe3rsgm9y3f2c7d4x';
const DOCUMENT_ID = 'doc_01k0qv5m8qe3rsgm9y3f2c7d4x';

/** "metadata is any JSON object up to 16 KiB": measured as compact JSON in UTF-8. */
export const MAX_METADATA_BYTES = 16 * 1024;

const DocumentType = Type.Enum(['document', 'spreadsheet'], {
  description: 'A document has Markdown as its content, a spreadsheet cells.',
});

const Title = lineOfText(1, 255, {
  ...NOT_BLANK,
  description: '1 to 255 characters, not only blanks, no control characters.',
  examples: ['Minutes'],
});

const Metadata = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'Any JSON object of the caller, up to 16 KiB.',
    examples: [{ project: 'Atrium', reviewed: true }],
  },
);

const ParentFolder = Type.String({
  description: 'A folder of the owner; "" is the root.',
  examples: [FOLDER_ID],
});

export const Document = Type.Object(
  {
    id: Type.String({ description: 'Names the document or the spreadsheet.', examples: [DOCUMENT_ID] }),
    type: DocumentType,
    title: Type.String({ description: 'The name that is shown.', examples: ['Minutes'] }),
    metadata: Metadata,
    state: Type.Enum(['active', 'trashed'], {
      description: 'What is in a folder of the trash is trashed as well.',
    }),
    owner_id: Type.String({ description: 'The user whose it is.', examples: [USER_ID] }),
    folder_id: Type.String({ description: '"" in the root.', examples: [FOLDER_ID] }),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'DocumentRecord', additionalProperties: false },
);

/** A document as it is read. */
export const ReadDocument = Type.Object(
  { ...Document.properties, role: OwnRole },
  { title: 'ReadDocument', additionalProperties: false },
);

const ImportOutcome = Type.Object(
  {
    format: Type.Enum(['text', 'csv', 'xlsx'], { description: 'What the file was read as.' }),
    encoding: Type.Optional(
      Type.Enum([...TEXT_ENCODINGS], {
        description:
          'Of a text. That of its byte-order mark; without one UTF-8 where that is valid, else UTF-16 or UTF-32 where the zero bytes show it, else windows-1252.',
      }),
    ),
    separator: Type.Optional(
      Type.String({ description: 'What stands between the fields of a .csv.', examples: [';'] }),
    ),
    left_out: Type.Optional(
      Type.Array(Type.Enum([...LEFT_OUT]), {
        description:
          'The kinds of contents of an .xlsx that the spreadsheet does not keep; import_notes says where they are.',
        examples: [['charts', 'styles']],
      }),
    ),
  },
  { title: 'ImportOutcome', additionalProperties: false, description: 'Only where a file has filled it.' },
);

export type ImportOutcome = Static<typeof ImportOutcome>;

export const ImportNotes = Type.Array(
  Type.Object(
    {
      what: Type.Enum([...LEFT_OUT], { description: 'What is not kept.', examples: ['charts'] }),
      sheet: Type.Optional(
        Type.String({ description: 'The sheet; absent for the whole workbook.', examples: ['Sales'] }),
      ),
      range: Type.Optional(
        Type.String({
          description: 'The cells, where it has some: A1, A1:C3, A:C or 2:5.',
          examples: ['D2:K18'],
        }),
      ),
      name: Type.Optional(
        Type.String({ description: 'The name of a table or of a defined name.', examples: ['Prices'] }),
      ),
      count: Type.Optional(
        Type.Integer({ description: 'How many further places are not listed one by one.', examples: [120] }),
      ),
    },
    { additionalProperties: false },
  ),
  {
    description:
      'What an .xlsx had that the spreadsheet does not keep, with its place; at most 1,000 entries. Empty where nothing was lost.',
  },
);

/** The response to creating a document. */
export const NewDocumentRecord = Type.Object(
  {
    ...Document.properties,
    import: Type.Optional(ImportOutcome),
    import_notes: Type.Optional(ImportNotes),
  },
  { title: 'NewDocumentRecord', additionalProperties: false },
);

export const NewDocument = Type.Object(
  {
    type: DocumentType,
    title: Title,
    folder_id: Type.Optional(ParentFolder),
    metadata: Type.Optional(Metadata),
    source_file_id: Type.Optional(
      Type.String({
        description:
          'An uploaded file that fills it: Markdown or other text for a document, .xlsx or .csv for a spreadsheet. Texts are in ' +
          'UTF-8, UTF-16, UTF-32 or Windows-1252. Of an .xlsx, values, formulas, number formats, sheets, hidden sheets, rows and columns, column widths, merged cells, ' +
          'notes, links, filters, defined names and frozen panes are kept; what is not (charts, images, macros, pivot tables, conditional ' +
          'formatting, data validation, fonts, colours …) is listed in import_notes. In formulas, defined names become what they stand for. ' +
          'In a .csv, a first line such as sep=; gives the separator; TRUE and FALSE are booleans, a number that is written back ' +
          'as the same text (also 12.50, which gets the number format 0.00) is a number, and all else is text, such as 1E5, 007 and dates.',
        examples: [FILE_ID],
      }),
    ),
  },
  { additionalProperties: false },
);

export const DocumentChanges = Type.Object(
  {
    title: Type.Optional(Title),
    folder_id: Type.Optional(ParentFolder),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false, minProperties: 1, description: 'The fields to replace, at least one.' },
);

export const DocumentFilters = Type.Object(
  {
    folder_id: Type.Optional(
      Type.String({
        description: 'Only those in this folder; "" for those in the root.',
        examples: [FOLDER_ID],
      }),
    ),
    q: Type.Optional(
      Type.String({
        maxLength: 255,
        pattern: '^[^\\u0000-\\u001f\\u007f]*$',
        description: 'Only those whose title contains this, without regard to case.',
        examples: ['minutes'],
      }),
    ),
    type: Type.Optional(Type.Enum(['document', 'spreadsheet'], { description: 'Only those of this type.' })),
    trashed: Type.Optional(
      Type.Boolean({ description: "When true, the caller's own documents in the trash instead." }),
    ),
    shared: Type.Optional(
      Type.Boolean({ description: 'When true, only documents of others that are shared with the caller.' }),
    ),
    include: Type.Optional(Include),
  },
  { additionalProperties: false },
);

export type DocumentType = Static<typeof DocumentType>;
export type NewDocument = Static<typeof NewDocument>;
export type DocumentChanges = Static<typeof DocumentChanges>;

const Revision = Type.Integer({ minimum: 1, description: 'From 1, without gaps.', examples: [2] });
const State = Type.String({
  description: 'The ETag of the content, without its quotes.',
  examples: ['1f3a2c1e-6f0e-4d0a-9a57-0c5b7a1f6d2e'],
});

export const WrittenContent = Type.Object(
  { revision: Revision, state: State },
  { title: 'WrittenDocument', additionalProperties: false },
);

export const RevisionRecord = Type.Object(
  {
    revision: Revision,
    state: State,
    created_by: Type.String({ description: 'Who wrote it.', examples: [USER_ID] }),
    created_at: timestamp('When it was made.'),
  },
  { title: 'DocumentRevision', additionalProperties: false },
);

export const ExportQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Enum(['markdown', 'html'], { description: 'markdown when absent: the content as it is.' }),
    ),
  },
  { additionalProperties: false },
);

export type ExportFormat = NonNullable<Static<typeof ExportQuery>['format']>;
export type WrittenContent = Static<typeof WrittenContent>;
export type RevisionRecord = Static<typeof RevisionRecord>;
