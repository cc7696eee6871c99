import { join } from 'node:path';
import type { BlobStore } from './blob-store.ts';
import { openDiskBlobs } from './disk/disk.ts';
import type { S3Location } from './s3/s3.ts';

/** The settings of the blob store. */
export interface BlobSettings {
  /** ATRIUM_BLOBS; undefined: files in the data directory. */
  blobs: string | undefined;
  dataDir: string;
}

/**
 * Opens the blob store that the settings name. Rejects with InvalidBlobsSetting, and with BlobsUnavailable when the
 * directory cannot be used. Does not connect to an S3 store: check() does.
 */
export async function openBlobs({ blobs, dataDir }: BlobSettings): Promise<BlobStore> {
  if (blobs === undefined) return openDiskBlobs(join(dataDir, 'blobs'));
  const location = parseBlobsSetting(blobs);
  // Loaded on demand: the AWS SDK takes long to load.
  const { openS3Blobs } = await import('./s3/s3.ts');
  return openS3Blobs(location);
}

/** The setting ATRIUM_BLOBS is invalid. The message is one sentence for the operator. */
export class InvalidBlobsSetting extends Error {
  override readonly name = 'InvalidBlobsSetting';
}

/** Stores other than AWS need a region in signatures, and by convention accept this one. */
const CUSTOMARY_REGION = 'us-east-1';

/**
 * Parses `s3://bucket/prefix?endpoint=…&region=…`; the prefix is optional, and one of endpoint and region.
 * Throws InvalidBlobsSetting. Messages never repeat the setting: it might contain credentials by mistake.
 */
export function parseBlobsSetting(setting: string): S3Location {
  const url = URL.parse(setting);
  if (url?.protocol !== 's3:') refuse('must be s3://bucket?endpoint=…&region=…, or unset for files on disk');
  if (url.username || url.password)
    refuse('must not hold credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  if (url.port || url.hash) refuse('has a port or a "#" after the bucket: the address belongs in endpoint=');
  const parameters = parametersOf(url.searchParams);
  return { bucket: bucketOf(url), prefix: prefixOf(url), ...endpointOf(parameters) };
}

function refuse(problem: string): never {
  throw new InvalidBlobsSetting(`ATRIUM_BLOBS ${problem}.`);
}

function parametersOf(search: URLSearchParams): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of search) {
    if (name !== 'endpoint' && name !== 'region') refuse('takes only the parameters endpoint and region');
    if (parameters.has(name)) refuse(`names ${name} twice`);
    parameters.set(name, value);
  }
  return parameters;
}

function bucketOf(url: URL): string {
  const isBucket = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(url.hostname);
  return isBucket
    ? url.hostname
    : refuse('needs a bucket name of 3 to 63 letters, digits, ".", "_" and "-" after s3://');
}

function prefixOf(url: URL): string {
  const path = url.pathname.replace(/^\//, '').replace(/\/$/, '');
  if (path === '') return '';
  const isPrefix = path.length <= 500 && /^[\w.-]+(\/[\w.-]+)*$/.test(path);
  return isPrefix
    ? `${path}/`
    : refuse('has a prefix with other characters than letters, digits, ".", "_", "-" and "/"');
}

function endpointOf(parameters: Map<string, string>): Pick<S3Location, 'region' | 'endpoint'> {
  const endpoint = parameters.get('endpoint');
  const region = parameters.get('region') ?? (endpoint && CUSTOMARY_REGION);
  if (!region) refuse('must name a region, or an endpoint');
  if (!/^[a-z0-9-]+$/.test(region)) refuse('has a region that is not made of small letters, digits and "-"');
  return { region, endpoint: endpoint === undefined ? undefined : checkedEndpoint(endpoint) };
}

function checkedEndpoint(endpoint: string): string {
  const url = URL.parse(endpoint);
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (!isAddress || url.search || url.hash)
    refuse('needs an endpoint of the form https://host or http://host:port');
  return endpoint;
}
