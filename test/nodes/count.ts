/** With this in the environment, the applications of tests on PostgreSQL are so many nodes, with blobs on S3, behind a balancer. */
export const NODES = Number(process.env.ATRIUM_TEST_NODES ?? 1);
