/**
 * Coalesces calls: the first runs the action immediately, and all calls during it cause one more run:
 *
 *   idle --call--> acting --> resting --no call came--> idle
 *                     ^          |
 *                     '--a call came
 */
export function paced(act: () => Promise<unknown>, rest: () => Promise<unknown>): () => void {
  let isWanted = false;
  let isBusy = false;
  const run = async (): Promise<void> => {
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await act();
      await rest();
    }
    isBusy = false;
  };
  return () => {
    isWanted = true;
    if (!isBusy) void run();
  };
}
