import { type Static, Type } from 'typebox';
import { lineOfText } from '../../api/line-of-text.ts';

const TIME = 'RFC 3339, UTC, with milliseconds.';
const USER_ID = 'usr_01k0qv5m8qe3rsgm9y3f2c7d4x';
const FILE_ID = 'file_01k0qv5m8qe3rsgm9y3f2c7d4x';
const FOLDER_ID = 'dir_01k0qv5m8qe3rsgm9y3f2c7d4x';
const DOCUMENT_ID = 'doc_01k0qv5m8qe3rsgm9y3f2c7d4x';

/** "metadata is any JSON object up to 16 KiB": of compact JSON in UTF-8. */
export const MAX_METADATA_BYTES = 16 * 1024;

const DocumentType = Type.Enum(['document', 'spreadsheet'], {
  description: 'A document has Markdown as its content, a spreadsheet cells.',
});

const Title = lineOfText(1, 255, {
  description: '1 to 255 characters, no control characters.',
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
    id: Type.String({ examples: [DOCUMENT_ID] }),
    type: DocumentType,
    title: Type.String({ examples: ['Minutes'] }),
    metadata: Metadata,
    state: Type.Enum(['active', 'trashed'], {
      description: 'What is in a folder of the trash is trashed as well.',
    }),
    owner_id: Type.String({ examples: [USER_ID] }),
    folder_id: Type.String({ description: '"" in the root.', examples: [FOLDER_ID] }),
    created_at: Type.String({ description: TIME }),
    updated_at: Type.String({ description: TIME }),
  },
  { additionalProperties: false },
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
          'An uploaded file that fills it: Markdown or other text for a document, .xlsx or .csv for a spreadsheet.',
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
  },
  { additionalProperties: false },
);

export type DocumentType = Static<typeof DocumentType>;
export type NewDocument = Static<typeof NewDocument>;
export type DocumentChanges = Static<typeof DocumentChanges>;
