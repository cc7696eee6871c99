/** What an answer holds until it is sent. */
interface Holding {
  discard(): Promise<void>;
}

/**
 * Has `run` do a work in a transaction. Where that begins anew, or fails after the work has made its answer, what the
 * answer holds is given back: nobody will read it. `holdingOf`: what of an answer holds something.
 */
export async function makeInTransaction<Given extends unknown[], Made>(
  run: (work: (...given: Given) => Promise<Made>) => Promise<Made>,
  holdingOf: (made: Made) => Holding | undefined,
  work: (...given: Given) => Promise<Made>,
): Promise<Made> {
  let holding: Holding | undefined;
  const giveBack = async () => {
    await holding?.discard();
    holding = undefined;
  };
  try {
    return await run(async (...given) => {
      await giveBack();
      const made = await work(...given);
      holding = holdingOf(made);
      return made;
    });
  } catch (error) {
    await giveBack();
    throw error;
  }
}
