import type { Operation } from '../../contract/operation.ts';
import { messageChangeOperations } from './changes/change-operations.ts';
import { filterOperations } from './filters/operations.ts';
import { mailFolderOperations } from './folders/folder-operations.ts';
import { messageOperations } from './messages/message-operations.ts';
import { sendOperations } from './sending/operations.ts';
import type { MailService } from './service.ts';

/** Mail folders, messages, filters, changes to messages, and sending. */
export function mailOperations(mail: MailService): Operation[] {
  return [
    ...mailFolderOperations(mail),
    ...messageOperations(mail),
    ...filterOperations(mail),
    ...messageChangeOperations(mail),
    ...sendOperations(mail),
  ];
}
