/** The environment variable that names the file with the mutated sources. */
export const SOURCES_VARIABLE = 'ATRIUM_TEST_MUTATED_SOURCES';
/** The one that names the file to which the process writes how many seconds of the processor it took. */
export const USAGE_VARIABLE = 'ATRIUM_TEST_PROCESSOR_SECONDS';
