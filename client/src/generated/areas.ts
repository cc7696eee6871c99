// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
export * from './directory.ts';
export * from './api-keys.ts';
export * from './mail.ts';
export * from './files.ts';
export * from './documents.ts';
export * from './spreadsheets.ts';
export * from './contacts.ts';
export * from './calendar.ts';
export * from './changes.ts';
export * from './search.ts';
