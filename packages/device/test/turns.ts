import type { Page } from 'playwright-core';

/**
 * More turns than the slices of a collection: after them, every signal has been started, however slow the machine is.
 */
const turnsMin = 100;

/** Lets the page run its tasks, without any timer. */
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
