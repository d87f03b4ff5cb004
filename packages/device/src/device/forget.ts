import { deleteRecord } from './key-store.ts';
import { cookieStore, localStore } from './text-store.ts';

/**
 * Removes the id and its key from this browser. Resolves with whether all of it is removed, as far as the browser
 * reports. Never rejects.
 */
export async function forget(): Promise<boolean> {
  const removals = [() => localStore.clear(), () => cookieStore.clear(), deleteRecord];
  const results = await Promise.allSettled(removals.map(async (remove) => remove()));
  return results.every(({ status }) => status === 'fulfilled');
}
