/**
 * Runs a function with the window of an empty frame: a second set of the browser's own objects, unchanged by scripts of
 * the page. The frame loads nothing, is hidden, and is removed before the browser paints. `undefined` if the page may
 * not create one.
 */
export function inFreshRealm<T>(use: (realm: Window & typeof globalThis) => T): T | undefined {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.setAttribute('aria-hidden', 'true');
  document.documentElement.append(frame);
  try {
    const realm = frame.contentWindow as (Window & typeof globalThis) | null;
    return realm === null ? undefined : use(realm);
  } finally {
    frame.remove();
  }
}
