/** The environment variable that names the file with the mutated sources. */
export const SOURCES_VARIABLE = 'ATRIUM_TEST_MUTATED_SOURCES';
