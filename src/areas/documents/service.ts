import type { Staging } from '../../blobs/staging.ts';
import type { Content, JsonText } from '../../contract/answers.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { type DriveOwner, emitNode, type FilesService, type SeenNode } from '../drive/service.ts';
import { type ContentDependencies, prepareContent, prepareText } from './contents.ts';
import {
  type CreatingDependencies,
  createDocument,
  prepareDocument,
  type SpreadsheetState,
} from './documents.ts';
import { exportContent } from './export-content.ts';
import {
  type CreatedDocument,
  type NewContents,
  openSpreadsheet,
  type PrepareContents,
  refuseSource,
  type Spreadsheet,
  type SpreadsheetAccess,
} from './new-contents.ts';
import { getLatestStored } from './revision-store.ts';
import { type ExportFormat, ImportNotes, type NewDocument } from './schema.ts';

export {
  type CreatedDocument,
  type DriveOwner,
  emitNode,
  ImportNotes,
  type NewContents,
  type PrepareContents,
  refuseSource,
  type SeenNode,
  type Spreadsheet,
  type SpreadsheetAccess,
};

/** What others ask of documents and spreadsheets, except for cells, and what the use cases of the area work with. */
export class DocumentsService {
  readonly dependencies: CreatingDependencies & ContentDependencies;

  constructor({
    database,
    files,
    staging,
    prepareSpreadsheet,
    spreadsheetState,
  }: {
    database: Database;
    files: FilesService;
    staging: Staging;
    prepareSpreadsheet: PrepareContents;
    spreadsheetState: SpreadsheetState;
  }) {
    const prepare = { document: prepareContent(staging), spreadsheet: prepareSpreadsheet };
    this.dependencies = { database, files, nodes: files.nodes, staging, prepare, spreadsheetState };
  }

  prepare(user: DriveOwner, given: NewDocument): Promise<NewContents> {
    return prepareDocument(this.dependencies, user, given);
  }

  prepareText(content: AsyncIterable<Uint8Array>): Promise<NewContents> {
    return prepareText(this.dependencies, content);
  }

  create(
    tx: WriteTransaction,
    owner: DriveOwner,
    given: NewDocument,
    contents: NewContents,
  ): Promise<JsonText> {
    return createDocument(tx, this.dependencies, owner, given, contents);
  }

  /** The current text of a document of a workspace, to be read after the transaction, for the full-text index. */
  async openText(tx: ReadTransaction, workspaceId: string, id: string): Promise<() => Promise<Uint8Array>> {
    const { location } = await getLatestStored(tx, { workspaceId, id });
    return async () => {
      const stored = await this.dependencies.staging.open(location);
      return stored instanceof Uint8Array ? stored : Buffer.concat(await stored.toArray());
    };
  }

  export(tx: ReadTransaction, user: DriveOwner, id: string, format: ExportFormat): Promise<Content> {
    return exportContent(tx, this.dependencies, user, id, format);
  }

  openSpreadsheet(
    tx: ReadTransaction,
    user: DriveOwner,
    id: string,
    access: SpreadsheetAccess,
  ): Promise<Spreadsheet> {
    return openSpreadsheet(tx, this.dependencies.nodes, user, id, access);
  }

  /** Keeps a spreadsheet whose cells are about to change from being moved meanwhile. Returns who sees it. */
  holdSpreadsheet(
    tx: WriteTransaction,
    { workspaceId, id }: Pick<Spreadsheet, 'workspaceId' | 'id'>,
  ): Promise<SeenNode> {
    return this.dependencies.nodes.hold(tx, workspaceId, id);
  }

  /** Records that the cells of a spreadsheet that is held have just changed: sets the time in its record. */
  touchSpreadsheet(
    tx: WriteTransaction,
    { workspaceId, id }: Pick<Spreadsheet, 'workspaceId' | 'id'>,
  ): Promise<void> {
    return this.dependencies.nodes.touch(tx, workspaceId, id);
  }
}
