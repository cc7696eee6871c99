/** What a program that a test starts gets of the environment of the tests: where programs are, and what is compiled already. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
