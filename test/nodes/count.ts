/** With this in the environment, the applications of tests on PostgreSQL are so many nodes, with blobs on S3, behind a balancer. */
export const NODES = Number(process.env.ATRIUM_TEST_NODES ?? 1);

/** Why a test is left out where there are several: set for those that look at one node, or into its directory. */
export const OF_ONE_NODE = NODES > 1 && 'it looks at one node';
