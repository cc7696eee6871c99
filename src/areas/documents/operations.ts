import type { Operation } from '../../contract/operation.ts';
import { contentOperations } from './content-operations.ts';
import { documentOperations } from './document-operations.ts';
import type { DocumentsService } from './service.ts';

/** Documents, and what spreadsheets have in common with them. */
export function documentsOperations(documents: DocumentsService): Operation[] {
  return [...documentOperations(documents), ...contentOperations(documents)];
}
