import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../../contract/operation.ts';
import { FolderChanges, MailFolder, NewFolder } from '../schema.ts';
import type { MailService } from '../service.ts';

const area = 'Mail';

export function mailFolderOperations(mail: MailService): Operation[] {
  return [
    reads({
      id: 'listMailFolders',
      area,
      method: 'GET',
      path: '/v1/folders',
      summary: 'List mail folders',
      description: 'Every folder of the mailbox in one answer, with the number of its messages.',
      permissions: ['mail.messages.read'],
      answer: Type.Array(MailFolder),
      handle: (tx, { principal }) => mail.listFolders(tx, principal),
    }),
    writes({
      id: 'createMailFolder',
      area,
      method: 'POST',
      path: '/v1/folders',
      summary: 'Create a mail folder',
      description: 'In the root unless parent_id names a folder. Names are compared exactly, case included.',
      permissions: ['mail.folders.write'],
      body: NewFolder,
      answer: MailFolder,
      status: 201,
      errors: ['not_found', 'folder_exists'],
      handle: (tx, { principal, body }) => mail.createFolder(tx, principal, body),
    }),
    writes({
      id: 'updateMailFolder',
      area,
      method: 'PUT',
      path: '/v1/folders/:id',
      summary: 'Rename or move a mail folder',
      description:
        'What is in the folder goes with it. A folder with a role can be renamed and moved like any other and keeps its role: mail arrives in the inbox whatever it is called.',
      permissions: ['mail.folders.write'],
      params: Type.Object({
        id: Type.String({ description: 'The folder.', examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
      }),
      body: FolderChanges,
      answer: MailFolder,
      errors: ['not_found', 'folder_exists', 'folder_cycle'],
      handle: (tx, { principal, params, body }) => mail.updateFolder(tx, principal, params.id, body),
    }),
  ];
}
