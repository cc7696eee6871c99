/**
 * With this in the environment, the applications of tests are so many nodes behind a balancer, on PostgreSQL with blobs
 * on S3, whatever engine they ask for.
 */
export const NODES = Number(process.env.ATRIUM_TEST_NODES ?? 1);
