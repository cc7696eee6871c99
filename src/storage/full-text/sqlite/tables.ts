import { FOLDER_TABLES } from './folder-rows.ts';

/**
 * The rows of the index are derived: they need not survive a power failure, only be whole after it. A place is the row
 * id, so that FTS5 reads the newest first.
 */
export const SCHEMA = `
  create table state (version integer not null, value text not null) strict;
  create table objects (
    place integer primary key,
    workspace_id text not null,
    kind text not null,
    id text not null,
    build integer not null,
    digest text not null,
    excerpt blob,
    -- Of what lies in a folder: "" elsewhere.
    folder text not null,
    roots text not null,
    scopes text not null,
    packed_terms blob,
    unique (workspace_id, kind, id)
  ) strict;
  create index objects_by_folder on objects (workspace_id, folder, roots) where folder <> '';
  create virtual table terms using fts5 (
    value, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  ${FOLDER_TABLES}`;

export const TABLES = ['state', 'objects', 'terms', 'folder_roots', 'folders_due'];
