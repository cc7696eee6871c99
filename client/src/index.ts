export { Atrium, type AtriumSettings } from './atrium.ts';
export type { Content } from './content.ts';
export { AtriumError, ConnectionError } from './errors.ts';
export type { DownloadOptions, Files } from './files.ts';
export type * from './generated/areas.ts';
export type { ErrorCode } from './generated/error-code.ts';
export type { Page, Pages } from './pages.ts';
export type { Bytes, RequestOptions } from './requests.ts';
export type { UploadOptions, UploadProgress, UploadSource } from './upload.ts';
