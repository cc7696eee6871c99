/** "Each mailbox starts with folders whose role is inbox, drafts, sent, archive, junk, trash." */
export const FOLDER_ROLES = ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash'] as const;

export type FolderRole = (typeof FOLDER_ROLES)[number];
