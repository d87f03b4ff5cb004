import type { Page } from 'playwright-core';

/** More turns than a collection takes for its slices: every signal has been asked after them, however slow the machine is. */
const turnsMin = 100;

/** Lets the page take its turns, without any timer. */
export function turns(page: Page): Promise<void> {
  return page.evaluate(async (count) => {
    for (let turn = 0; turn < count; turn++) {
      const { port1, port2 } = new MessageChannel();
      port2.postMessage(0);
      await new Promise((resolve) => {
        port1.addEventListener('message', resolve);
        port1.start();
      });
      port1.close();
    }
  }, turnsMin);
}
