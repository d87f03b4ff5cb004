import type { Page } from 'playwright-core';
import { eventually } from '../harness/eventually.ts';

const probe = '/?intercepted';
const waitMsMax = 60_000;

/**
 * `page.route` for a page that is loaded already: resolves once the page's requests are really intercepted. Chromium
 * hands a new loader to the page after it has answered, so that on a busy machine the next request could pass by.
 */
export async function intercept(page: Page, ...route: Parameters<Page['route']>): Promise<void> {
  await page.route(...route);
  await page.route(`**${probe}`, (asked) => asked.fulfill({ status: 204 }));
  await eventually('requests of the page are intercepted', waitMsMax, async () => {
    const status = await page.evaluate(`fetch(${JSON.stringify(probe)}).then(({ status }) => status)`);
    return status === 204 ? true : undefined;
  });
  await page.unroute(`**${probe}`);
}
