/**
 * Runs something with the window of an empty frame: a second set of the browser's own objects, which scripts of the
 * page have not changed. The frame loads nothing, is hidden from everybody, and is gone before the browser paints.
 * `undefined` when the page may not have one.
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
