import fc from 'fast-check';

/** Imported before every test file: properties are tried with the same examples in every run, with others by ATRIUM_TEST_SEED. */
fc.configureGlobal({ seed: Number(process.env.ATRIUM_TEST_SEED ?? 20_261_121) });
